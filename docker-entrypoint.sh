#!/bin/sh
# Starts one of the programs by its name.
set -eu
case "${1:-}" in
  api | worker | standalone)
    program=$1
    shift
    exec node "/app/dist/apps/$program/src/main.js" "$@"
    ;;
  migrate)
    exec node /app/dist/apps/migrate/src/main.js
    ;;
  *)
    echo "Name what to start: api, worker, standalone or migrate." >&2
    exit 2
    ;;
esac

#!/bin/sh
# Starts one of the server processes by its name.
set -eu
case "${1:-}" in
  api | worker | standalone)
    program=$1
    shift
    exec node "/app/dist/apps/$program/src/main.js" "$@"
    ;;
  *)
    echo "Name what to start: api, worker or standalone." >&2
    exit 2
    ;;
esac

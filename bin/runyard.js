#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/apps/cli/src/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main);
} else {
  process.stderr.write('Runyard is not built yet. Build it with: npm run build\n');
  process.exitCode = 1;
}

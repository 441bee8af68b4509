// `npm run model-check -- [--interleavings N] [--seed N] [--lanes N]`: random orders of what the processes of a server do
// with its scheduler and its leases, on a real PostgreSQL. See docs/chaos.md.
import { spawnSync } from 'node:child_process';

const args = [
  '--conditions',
  'runyard-source',
  '--import',
  './test/support/typescript-loader.js',
  'test/model/main.ts',
];
process.exit(spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1);

// `npm run chaos -- [--minutes N] [--runs N] [--seed N] [--only name]... [--list]`: hurts a site of real processes while it
// works, and checks what it promised. See docs/chaos.md.
import { spawnSync } from 'node:child_process';

const args = [
  '--conditions',
  'runyard-source',
  '--import',
  './test/support/typescript-loader.js',
  'test/chaos/main.ts',
];
process.exit(spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1);

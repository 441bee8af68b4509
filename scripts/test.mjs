// `npm test`: builds what some tests start as processes of their own, then runs every test there is, and closes with one
// line that counts them. PostgreSQL is embedded; suites that need Redis start one when `redis-server` or `valkey-server`
// is on the PATH, are skipped visibly when it is not, and fail with CI=true.
import { spawnSync } from 'node:child_process';

const run = (command, args) => spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;

const built = run('npm', ['run', '--silent', 'build']);
if (built !== 0) {
  console.log('0 passed, 1 failed');
  process.exit(built);
}
process.exit(
  run(process.execPath, [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--maxWorkers=3',
    '--reporters=default',
    '--reporters=./scripts/count-reporter.cjs',
    ...process.argv.slice(2),
  ]),
);

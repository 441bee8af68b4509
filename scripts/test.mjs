// `npm test`: builds what some tests start as processes of their own, then runs every test there is, and closes with one
// line that counts them. PostgreSQL is embedded; suites that need Redis start one when `redis-server` or `valkey-server`
// is on the PATH, are skipped visibly when it is not, and fail with CI=true.
import { spawnSync } from 'node:child_process';

const npm = (...args) => spawnSync('npm', ['run', '--silent', ...args], { stdio: 'inherit' }).status ?? 1;

const built = npm('build');
if (built !== 0) {
  console.log('0 passed, 1 failed');
  process.exit(built);
}
const reporters = ['--reporters=default', '--reporters=./scripts/count-reporter.cjs'];
process.exit(npm('jest', '--', '--maxWorkers=4', ...reporters, ...process.argv.slice(2)));

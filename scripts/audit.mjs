// Asks the registry what it knows about the packages of the lock file: whether they are signed, and which of those that are
// shipped have a known vulnerability that is high or critical. Fails where it answers that something is wrong. A registry
// that has no such answer fails nothing, and a line says so.
import { spawnSync } from 'node:child_process';

const PATIENCE_MS = 60_000;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

function ask(...args) {
  const quickly = ['--fetch-retries=0', '--fetch-timeout=20000'];
  const { stdout } = spawnSync(npm, ['audit', ...args, '--json', ...quickly], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}

let failed = false;

const { invalid, missing } = ask('signatures');
if (invalid === undefined) console.log('audit: the registry was not able to show signatures; none was checked');
else {
  for (const { name, version } of [...invalid, ...missing]) console.log(`audit: ${name}@${version} is not signed`);
  failed ||= invalid.length + missing.length > 0;
}

const { vulnerabilities } = ask('--omit=dev', '--audit-level=high');
if (vulnerabilities === undefined)
  console.log('audit: the registry was not able to name vulnerabilities; none was looked for');
else {
  const grave = Object.values(vulnerabilities).filter(({ severity }) => ['high', 'critical'].includes(severity));
  for (const { name, severity } of grave) console.log(`audit: ${name} has a ${severity} vulnerability`);
  failed ||= grave.length > 0;
}

if (failed) process.exit(1);

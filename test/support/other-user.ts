import { spawnSync } from 'node:child_process';

/** `nobody`, as every Linux knows it: a second user of the machine, with no rights of its own. */
const NOBODY = 65_534;
const AS_NOBODY = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];

/** Only root may act as somebody else. */
export const mayActAsOthers = process.getuid?.() === 0 && spawnSync('setpriv', [...AS_NOBODY, 'true']).status === 0;

/** Says in the title of what is skipped what it lacks. */
export const needsRoot = mayActAsOthers ? '' : ' (skipped: needs root and setpriv)';

/** What a shell script of the second user writes, its errors too. */
export function asNobody(script: string, args: readonly string[] = []): string {
  const result = spawnSync('setpriv', [...AS_NOBODY, 'sh', '-c', script, 'sh', ...args], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env.PATH },
  });
  return result.stdout + result.stderr;
}

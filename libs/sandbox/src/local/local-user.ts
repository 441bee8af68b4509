import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RunyardError } from '#libs/kernel';

/** Another user of this host, as whom commands work. */
export interface LocalUser {
  uid: number;
  gid: number;
  /** What a user's environment says of them. */
  env: Readonly<Record<string, string>>;
}

class LocalUserError extends RunyardError {
  override readonly code = 'sandbox_user_unusable';
  readonly kind = 'unprocessable';
}

/** Finds a user by name. Throws by name where there is none, where it is root, or where only root could act as them. */
export async function findLocalUser(name: string): Promise<LocalUser> {
  const refuse = (why: string): never => {
    throw new LocalUserError(`sandbox.local.user is "${name}", ${why}.`);
  };
  if (process.getuid?.() !== 0) refuse('but only a server that root has started may run commands as another user');
  const idOf = async (option: string): Promise<number> =>
    Number((await promisify(execFile)('id', [option, '--', name])).stdout);
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')]).catch(() => refuse('which is no user of this host'));
  if (uid === 0) refuse('who may read everything of the server; name another user');
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((text) => text.startsWith(`${name}:`));
  const home = line?.split(':')[5] ?? '/';
  return { uid, gid, env: { HOME: home, USER: name, LOGNAME: name } };
}

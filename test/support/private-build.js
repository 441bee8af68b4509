/**
 * A build of the sources as they are now, apart from the one in `dist`, which others may be using. Plain JavaScript
 * because Jest loads its global setup before any transform.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Returns the folder of the build; its programs lie in `dist`. */
export async function makePrivateBuild() {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-build-'));
  for (const name of ['apps', 'libs', 'prisma', 'node_modules', 'package.json', '.swcrc']) {
    await symlink(resolve(name), join(folder, name));
  }
  await promisify(execFile)(process.execPath, [resolve('scripts/build.mjs')], { cwd: folder });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

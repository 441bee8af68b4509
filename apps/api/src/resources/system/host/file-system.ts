import { readFile, realpath, statfs } from 'node:fs/promises';
import { messageOf } from '#libs/kernel';
import { type FileSystemResources } from '../dto/system-resources.js';

interface Mount {
  point: string;
  type: string;
}

/** The file system in which a folder lies. Where it is mounted is known on Linux only. */
export async function fileSystemResources(folder: string): Promise<FileSystemResources> {
  try {
    const { blocks, bfree, bavail, bsize } = await statfs(folder);
    const mount = await mountOf(folder);
    const [used, available] = [(blocks - bfree) * bsize, bavail * bsize];
    return {
      supported: true,
      unavailable_reason: null,
      scope: 'storage_filesystem',
      storage_path: folder,
      mount_point: mount?.point ?? null,
      filesystem: mount?.type ?? null,
      total_bytes: blocks * bsize,
      used_bytes: used,
      available_bytes: available,
      used_percent: Math.round((used / Math.max(1, used + available)) * 1_000) / 10,
    };
  } catch (thrown) {
    return unsupported(folder, messageOf(thrown));
  }
}

/** Nothing is kept there when everything lies in a database and a bucket elsewhere. */
function unsupported(folder: string, reason: string): FileSystemResources {
  return {
    supported: false,
    unavailable_reason: reason,
    scope: 'storage_filesystem',
    storage_path: folder,
    mount_point: null,
    filesystem: null,
    total_bytes: null,
    used_bytes: null,
    available_bytes: null,
    used_percent: null,
  };
}

async function mountOf(folder: string): Promise<Mount | undefined> {
  // Other systems than Linux do not tell.
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const real = `${await realpath(folder)}/`;
  const above = table
    .split('\n')
    .map(parseMount)
    .filter((mount) => mount !== undefined && isAbove(mount.point, real));
  return above.reduce(
    (deepest, mount) => (mount!.point.length >= (deepest?.point.length ?? 0) ? mount : deepest),
    undefined,
  );
}

/** `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: the fifth field is the place, the type comes after the dash. */
function parseMount(line: string): Mount | undefined {
  const match = /^\S+ \S+ \S+ \S+ (\S+) .*? - (\S+) /.exec(line);
  if (!match) return undefined;
  const [, point = '', type = ''] = match;
  return { point: point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))), type };
}

function isAbove(point: string, real: string): boolean {
  return real.startsWith(point.endsWith('/') ? point : `${point}/`);
}

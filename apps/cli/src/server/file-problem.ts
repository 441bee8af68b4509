import { isNativeError } from 'node:util/types';

/** What a system answers about a file, as the end of a sentence about it. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'lies in something that is no folder',
  EISDIR: 'is a folder',
  EACCES: 'may not be opened by you: look at its permissions and at those of its folder',
  EPERM: 'may not be opened by you',
  EROFS: 'lies on a disk that may only be read',
  ENOSPC: 'finds no room on its disk',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a link that leads back to itself',
};

/** What is wrong with a file, such as `does not exist`; undefined when that is not what was thrown. */
export function fileProblem(thrown: unknown): string | undefined {
  if (!isNativeError(thrown) || !('code' in thrown) || !('syscall' in thrown)) return undefined;
  return PROBLEMS[String(thrown.code)];
}

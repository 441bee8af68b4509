import { execFile } from 'node:child_process';
import type { components } from '#libs/api-client';

type GitContext = components['schemas']['GitContext'];

/** What git prints, without the line end; undefined when it fails or is not installed. */
export type Git = (...args: string[]) => Promise<string | undefined>;

/** git in a directory. It never asks for anything and never waits for a lock. */
export function gitIn(cwd: string): Git {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  return (...args) =>
    new Promise((resolve) => {
      execFile('git', args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
        resolve(error ? undefined : stdout.trim()),
      );
    });
}

/** The repository around a directory; undefined outside of one. Nothing is pushed. */
export async function gitContext(git: Git): Promise<GitContext | undefined> {
  if ((await git('rev-parse', '--is-inside-work-tree')) !== 'true') return undefined;
  const [origin, branch, sha, changes] = await Promise.all([
    git('remote', 'get-url', 'origin'),
    git('symbolic-ref', '--short', 'HEAD'),
    git('rev-parse', '--verify', 'HEAD'),
    git('status', '--porcelain'),
  ]);
  return {
    origin_url: withoutCredentials(origin ?? ''),
    branch: branch ?? 'HEAD',
    sha: sha ?? null,
    dirty: changes === undefined ? 'unknown' : changes === '' ? 'clean' : 'dirty',
    push_outcome: { type: origin === undefined ? 'skipped_no_remote' : 'not_attempted' },
  };
}

/**
 * A remote's URL without what lets its reader in: password, query and fragment, and the user of an HTTP address, who
 * may be a token. The user of an SSH address is part of the place.
 */
export function withoutCredentials(remote: string): string {
  const url = remote.includes('://') ? URL.parse(remote) : null;
  if (!url) return remote.includes('://') ? remote.replace(/\/\/[^/]*@/, '//') : remote;
  url.password = '';
  if (url.protocol.startsWith('http')) url.username = '';
  url.search = '';
  url.hash = '';
  return url.href;
}

import { execFile } from 'node:child_process';
import type { components } from '#libs/api-client';
import { withoutCredentials } from '#libs/kernel';

type GitContext = components['schemas']['GitContext'];

/** What git prints, without the line end; undefined when it fails or is not installed. */
export type Git = (...args: string[]) => Promise<string | undefined>;

/** What a repository may name in its own settings to be executed, switched off: a folder may come from anybody. */
const TRUSTS_NOTHING = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'];

/**
 * git in a directory. It never asks for anything, never waits for a lock, fetches nothing, and executes nothing that the
 * repository names.
 */
export function gitIn(cwd: string): Git {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: '' };
  return (...args) =>
    new Promise((resolve) => {
      const all = [...settings(TRUSTS_NOTHING), ...args];
      execFile('git', all, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
        resolve(error ? undefined : stdout.trim()),
      );
    });
}

function settings(values: readonly string[]): string[] {
  return values.flatMap((value) => ['-c', value]);
}

/** The repository around a directory; undefined outside of one. Nothing is pushed. */
export async function gitContext(git: Git): Promise<GitContext | undefined> {
  if ((await git('rev-parse', '--is-inside-work-tree')) !== 'true') return undefined;
  const [origin, branch, sha, changes] = await Promise.all([
    git('remote', 'get-url', 'origin'),
    git('symbolic-ref', '--short', 'HEAD'),
    git('rev-parse', '--verify', 'HEAD'),
    changesIn(git),
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
 * What `git status` prints; undefined when it cannot be asked. To compare a file git may run the filters of its settings,
 * so they are all switched off: a file that was only touched may then count as changed. Submodules have settings of
 * their own, so they are not entered.
 */
async function changesIn(git: Git): Promise<string | undefined> {
  const names = await git('config', '--list', '--name-only', '-z');
  if (names === undefined) return undefined;
  const filters = new Set(names.split('\0').flatMap((name) => /^(filter\..+)\.[^.]+$/s.exec(name)?.[1] ?? []));
  // On its command line git ends the name of a setting at the first sign of equality.
  if ([...filters].some((filter) => filter.includes('='))) return undefined;
  const off = [...filters].flatMap((filter) =>
    ['process=', 'clean=', 'required=false'].map((end) => `${filter}.${end}`),
  );
  return git(...settings(off), 'status', '--porcelain', '--no-renames', '--ignore-submodules=dirty');
}

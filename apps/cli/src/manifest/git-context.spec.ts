import { describe, expect, it } from '@jest/globals';
import { type Git, gitContext } from './git-context.js';

/** git that knows the answers to some commands and fails at the others. */
const answering =
  (answers: Record<string, string>): Git =>
  async (...args) =>
    answers[args.join(' ')];

const repository = {
  'rev-parse --is-inside-work-tree': 'true',
  'symbolic-ref --short HEAD': 'main',
  'rev-parse --verify HEAD': 'abc123',
  'config --list --name-only -z': 'core.bare\0',
  'status --porcelain --no-renames --ignore-submodules=dirty': '',
};

describe('gitContext', () => {
  it('is absent outside of a repository', async () => expect(await gitContext(answering({}))).toBeUndefined());

  it('holds where the code is from, without credentials', async () => {
    const git = answering({ ...repository, 'remote get-url origin': 'https://me:secret@example.com/a/b.git' });
    expect(await gitContext(git)).toEqual({
      origin_url: 'https://example.com/a/b.git',
      branch: 'main',
      sha: 'abc123',
      dirty: 'clean',
      push_outcome: { type: 'not_attempted' },
    });
  });

  it('says what it does not know', async () => {
    const { 'rev-parse --is-inside-work-tree': inside } = repository;
    expect(await gitContext(answering({ 'rev-parse --is-inside-work-tree': inside }))).toEqual({
      origin_url: '',
      branch: 'HEAD',
      sha: null,
      dirty: 'unknown',
      push_outcome: { type: 'skipped_no_remote' },
    });
  });
});

import type { GitContext } from '../dto/git-context.js';
import { result, type PreflightCheck } from './check.js';

const NAME = 'Repository';

/** A run that works in place sees the tree as it is; one that clones misses what was not committed and pushed. */
export const repository: PreflightCheck = ({ manifest: { git }, settings: { run } }) => {
  if (!git) return result(NAME, 'pass', 'No git repository; the run works on the directory as it is.');
  const where = `${git.origin_url || 'a repository without an origin'} at ${git.branch}`;
  const clones = run.clone.enabled && run.environment.provider !== 'local';
  const missing = clones ? notInClone(git) : [];
  if (missing.length === 0) return result(NAME, 'pass', `The run works on ${where}.`, { notes: notesOn(git) });
  return result(NAME, 'warning', `The sandbox clones ${where} without some of your changes.`, {
    reasons: missing,
    remediation: 'Commit and push before you start the run.',
  });
};

function notInClone(git: GitContext): string[] {
  return [
    ...(git.dirty === 'dirty' ? ['There are changes that are not committed.'] : []),
    ...(git.dirty === 'unknown' ? ['Whether there are changes that are not committed is unknown.'] : []),
    ...pushProblem(git),
  ];
}

function pushProblem({ push_outcome: push }: GitContext): string[] {
  switch (push.type) {
    case 'succeeded':
    case 'not_attempted':
      return [];
    case 'failed':
      return [`The branch could not be pushed to ${push.remote}: ${push.message}`];
    case 'skipped_no_remote':
      return ['The branch was not pushed: the repository has no remote.'];
    case 'skipped_remote_mismatch':
      return [`The branch was not pushed: ${push.remote} is not ${push.repo_origin_url}.`];
  }
}

function notesOn({ sha, dirty }: GitContext): string[] {
  return [
    ...(sha ? [`Commit ${sha}.`] : []),
    ...(dirty === 'dirty' ? ['Changes that are not committed are part of what the run works on.'] : []),
  ];
}

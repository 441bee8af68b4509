import { type Rule } from '../rule.js';

export const joinPolicyRemoved: Rule = {
  id: 'join_policy_removed',
  severity: 'error',
  *check({ draft }) {
    for (const { key, writtenKey } of draft.doubtful) {
      if (key !== 'join_policy') continue;
      const message =
        'join_policy is no longer part of the language: a parallel node always waits for all its branches.';
      yield { message, span: writtenKey.span, fix: 'Remove it.' };
    }
  },
};

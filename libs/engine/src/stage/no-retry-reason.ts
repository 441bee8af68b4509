import type { FailureDetail } from '#libs/events';
import type { AttemptResult } from './outcome.js';

/** Why a failure is not tried again although attempts are left, to follow "not tried again: ". */
export function noRetryReason(result: AttemptResult, { category }: FailureDetail): string {
  if (result.kind === 'outcome' && result.finalBecause !== undefined) return result.finalBecause;
  if (category === 'canceled') return 'it was cancelled';
  return category === 'transient_infra'
    ? 'the stage asked for no other attempt'
    : `a ${category} failure does not pass by itself`;
}

import { messageOf, RunyardError } from '#libs/kernel';
import { errored, type AttemptResult } from '../stage/outcome.js';

/** Whether nobody meant this to happen: whoever reports it says where it was thrown. */
export function isDefect(thrown: unknown): boolean {
  return !(thrown instanceof RunyardError);
}

/** What an attempt reports that was cut off by an error: one of kind `unavailable` may pass, any other stays. */
export function erroredBy(thrown: unknown): AttemptResult {
  const mayPass = thrown instanceof RunyardError && thrown.kind === 'unavailable';
  return errored({ message: messageOf(thrown), category: mayPass ? 'transient_infra' : 'deterministic' }, mayPass);
}

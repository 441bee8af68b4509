import type { FailureDetail } from '#libs/events';
import { withFirstCause } from '../stage/first-cause.js';
import { held } from './by-name.js';
import { lastReport } from './context.js';
import type { Cursor, RunState } from './state.js';

/** A stage that failed and why, in one line; undefined where the last stage of the node did not fail. */
export function failureOf({ failures }: RunState, node: string | undefined): string | undefined {
  const why = node === undefined ? undefined : held(failures, node);
  return why === undefined ? undefined : `stage ${node}: ${why}`;
}

/**
 * Why a path ends that has no way on from a failed stage. The message names the stage that was the first to fail; the
 * causes lead from the one that ended the path back to it.
 */
export function withCauses(state: RunState, cursor: Cursor, ended: string): Pick<FailureDetail, 'message' | 'causes'> {
  const last = lastReport(state, cursor);
  const { node, failureMessage: message = '', failureCauses = [] } = last ?? {};
  const earlier = cursor.failing.filter((each) => each !== node).flatMap((each) => failureOf(state, each) ?? []);
  const causes = [...(message === '' ? [] : [message]), ...failureCauses, ...earlier.toReversed()];
  if (earlier[0] !== undefined) return { message: `${ended}; the first to fail was ${earlier[0]}`, causes };
  const why = withFirstCause({ message, causes: failureCauses });
  return why === '' ? { message: ended } : { message: `${ended}: ${why}`, causes };
}

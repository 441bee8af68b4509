import type { FailureDetail, OutcomeStatus } from '#libs/events';
import type { WalkContext } from './walk-context.js';

/** The walk of a sub-workflow is over; said on its path. */
export function endChild(walk: WalkContext, status: OutcomeStatus, failure?: FailureDetail): void {
  const { host, startedAt, steps, workflow } = walk.cursor;
  const manager = workflow.slice(0, -1);
  walk.say({
    event: 'subgraph.completed',
    node_id: manager,
    ...(host && { stage_id: host.stageId }),
    properties: {
      steps_executed: steps,
      status,
      duration_ms: Math.max(0, walk.moment.now - startedAt),
      ...(failure && { failure }),
    },
  });
}

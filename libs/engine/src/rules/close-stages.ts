import type { FailureDetail } from '#libs/events';
import { scopeOf } from './close-attempt.js';
import { openStageOf, pathsUnder, requireCursor } from '../state/cursors.js';
import { endChild } from './end-child.js';
import { endBranch } from './fork.js';
import { withdrawQuestion } from './questions.js';
import { MAIN_CURSOR, type OpenStage } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

/**
 * Ends what is open on a path and on those opened from there, innermost first, and before that what they ask; nobody
 * waits for it any more. Where the run goes on, the paths opened from there are said to be over too; the end of a run says
 * it of all.
 */
export function closeOpenStages(walk: WalkContext, root: string, failure: FailureDetail): void {
  const outermost = openStageOf(requireCursor(walk.state, root));
  const under = outermost ? pathsUnder(walk.state, outermost) : [];
  const innermostFirst = [root, ...under].reverse();
  for (const path of innermostFirst) walk.on(path, () => withdrawQuestion(walk, failure.message));
  const goesOn = root !== MAIN_CURSOR;
  for (const path of innermostFirst) {
    walk.on(path, () => {
      const stage = openStageOf(walk.cursor);
      if (stage) closeStage(walk, stage, failure);
      if (path !== root && goesOn) endPath(walk, failure);
    });
  }
}

function endPath(walk: WalkContext, failure: FailureDetail): void {
  if (walk.cursor.branch) endBranch(walk, 'failed');
  else if (walk.cursor.position.at !== 'end') endChild(walk, 'failed', failure);
}

function closeStage(walk: WalkContext, stage: OpenStage, failure: FailureDetail): void {
  if (stage.doing.what === 'working') walk.stop(stage.id);
  const wall_time_ms = Math.max(0, walk.moment.now - stage.startedAt);
  walk.say({
    event: 'stage.failed',
    ...scopeOf(walk, stage),
    properties: {
      index: stage.index,
      failure,
      will_retry: false,
      timing: { wall_time_ms, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 },
    },
  });
}

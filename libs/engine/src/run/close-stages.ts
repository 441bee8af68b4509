import type { FailureDetail } from '#libs/events';
import { scopeOf } from './close-attempt.js';
import { openStageOf, pathsUnder } from './cursors.js';
import type { OpenStage } from './state.js';
import type { WalkContext } from './walk-context.js';

/** Ends what is open on these paths and on those opened from there, innermost first; nobody waits for it any more. */
export function closeOpenStages(walk: WalkContext, paths: readonly string[], failure: FailureDetail): void {
  const all = paths.flatMap((path) => {
    const stage = openStageOf(walk.state.cursors[path]!);
    return stage ? [path, ...pathsUnder(walk.state, stage.id)] : [path];
  });
  for (const path of all.reverse()) {
    const stage = openStageOf(walk.state.cursors[path]!);
    if (stage) walk.on(path, () => closeStage(walk, stage, failure));
  }
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

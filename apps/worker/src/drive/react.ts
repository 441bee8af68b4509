import { nodeAt, type Cursor, type RunState, type Step } from '#libs/engine';
import type { Message } from './message.js';
import type { OpenRun } from './open-run.js';

/** What comes of a message. None means that time has passed, which may be what the run waits for. */
export async function react(run: OpenRun, message: Message | undefined): Promise<Step> {
  const { walk } = run;
  switch (message?.kind) {
    case undefined:
    case 'hand_over':
      return run.advance();
    case 'finished': {
      const { path, stageId, result } = message;
      if (result.kind === 'outcome') await run.values.of(result.outcome);
      return run.said(walk.finish(path, stageId, result));
    }
    case 'hooks_decided':
      return run.said(walk.hooksDecided(message.work, message.decision));
    case 'heard':
      await run.writer.hearOthers();
      return run.advance();
    case 'cancel':
      await run.stopEffects();
      return walk.cancel();
    case 'stalled':
      return stalled(run);
  }
}

async function stalled(run: OpenRun): Promise<Step> {
  const { walk } = run;
  // Where people are waited for, silence is no fault; the limit begins anew.
  if (walk.state.blocked) {
    run.stages.watchAgain();
    return run.advance();
  }
  await run.stopEffects();
  const idle_seconds = Math.round(walk.definition.index.graph.attributes.stallTimeoutMs / 1_000);
  const node = nodeAt(busiest(walk.state));
  const actor = { kind: 'system', system_kind: 'watchdog' } as const;
  run.note({ event: 'watchdog.timeout', node_id: node, actor, properties: { idle_seconds } });
  const message = `stall watchdog: node "${node}" had no activity for ${idle_seconds}s`;
  return walk.fail('workflow_error', { message, category: 'transient_infra', system_actor: 'watchdog' });
}

/** Where something is at work, as far as one place can be named. */
function busiest({ cursors }: RunState): Cursor {
  const all = Object.values(cursors);
  return all.find(({ position }) => position.at === 'stage' && position.stage.doing.what === 'working') ?? all[0]!;
}

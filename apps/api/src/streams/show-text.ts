import { type EventNotices, type TextDelta } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { frameWithoutId } from './frame.js';
import { type Outlet } from './outlet.js';

const frames = new WeakMap<TextDelta, Buffer>();

/** Shows a client what models say and commands print while they do, between the events and without an id: nobody can come back to it. */
export function showText(
  notices: EventNotices,
  tenantId: TenantId,
  runId: RunId,
  outlet: Outlet,
): { begin: () => void; end: () => void } {
  let leave: () => void = () => undefined;
  return {
    begin: () => (leave = notices.watch(tenantId, runId, (delta) => outlet.offer(frameOf(delta)))),
    end: () => leave(),
  };
}

/** Made once for all who watch. */
function frameOf(delta: TextDelta): Buffer {
  const made = frames.get(delta) ?? frameWithoutId(textDelta(delta));
  frames.set(delta, made);
  return made;
}

function textDelta({ source, runId, nodeId, nodeLabel, stageId, visit, offset, text }: TextDelta): string {
  return JSON.stringify({
    event: source === 'command' ? 'command.output.delta' : 'agent.llm.delta',
    run_id: runId,
    node_id: nodeId,
    node_label: nodeLabel,
    stage_id: stageId,
    properties: { visit, kind: 'text', offset, delta: text },
  });
}

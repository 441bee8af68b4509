import type { TextDelta } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { packItems, unpack } from './payload.js';

/** Packs all pieces of text into payloads; the last ones go where there are more than `limit` payloads hold. */
export function packDeltas(origin: string, deltas: readonly TextDelta[], limit: number): string[] {
  const items = deltas.map(toItem);
  const payloads: string[] = [];
  for (let at = 0; at < items.length && payloads.length < limit;) {
    const { payload, packed } = packItems(origin, items.slice(at));
    payloads.push(payload);
    at += packed;
  }
  return payloads;
}

/** The pieces of a payload; `undefined` for anything that no sender of ours packed. */
export function unpackDeltas(payload: string): { origin: string; items: TextDelta[] } | undefined {
  return unpack(payload, toDelta);
}

function toItem({ tenantId, runId, nodeId, nodeLabel, stageId, visit, offset, text, source }: TextDelta): unknown[] {
  return [tenantId, runId, nodeId, nodeLabel, stageId, visit, offset, text, source];
}

function toDelta(item: readonly unknown[]): TextDelta | undefined {
  const [tenantId, runId, nodeId, nodeLabel, stageId, visit, offset, text, source] = item;
  const areTexts = [tenantId, runId, nodeId, nodeLabel, stageId, text].every((part) => typeof part === 'string');
  if (!areTexts || !Number.isSafeInteger(visit) || !Number.isSafeInteger(offset)) return undefined;
  return {
    source: source === 'command' ? 'command' : 'model',
    tenantId: tenantId as TenantId,
    runId: runId as RunId,
    nodeId: nodeId as string,
    nodeLabel: nodeLabel as string,
    stageId: stageId as string,
    visit: visit as number,
    offset: offset as number,
    text: text as string,
  };
}

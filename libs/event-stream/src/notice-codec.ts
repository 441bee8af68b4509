import type { EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { unpack, packItems } from './payload.js';

export interface Heard {
  /** The process that sent it, which has told its own listeners already. */
  origin: string;
  notices: EventNotice[];
}

/** Packs the first notices into one payload, as many as fit, and says how many those were. */
export function packNotices(origin: string, notices: readonly EventNotice[]): { payload: string; packed: number } {
  return packItems(
    origin,
    notices.map(({ tenantId, runId, toSeq, fromSeq }) => [tenantId, runId, toSeq, fromSeq]),
  );
}

/** The notices of a payload; `undefined` for anything that no sender of ours packed. */
export function unpackNotices(payload: string): Heard | undefined {
  const heard = unpack(payload, toNotice);
  return heard && { origin: heard.origin, notices: heard.items };
}

/** Older senders do not say where a notice begins. */
function toNotice([tenantId, runId, toSeq, fromSeq = toSeq]: readonly unknown[]): EventNotice | undefined {
  if (typeof tenantId !== 'string' || typeof runId !== 'string') return undefined;
  if (!Number.isSafeInteger(toSeq) || !Number.isSafeInteger(fromSeq)) return undefined;
  return {
    tenantId: tenantId as TenantId,
    runId: runId as RunId,
    fromSeq: fromSeq as number,
    toSeq: toSeq as number,
  };
}

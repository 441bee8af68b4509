import type { EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';

/** Less than the 8,000 bytes that one NOTIFY can carry. */
export const MAX_PAYLOAD_BYTES = 7_500;

export interface Heard {
  /** The process that sent it, which has told its own listeners already. */
  origin: string;
  notices: EventNotice[];
}

/**
 * Packs the first notices into one payload, as many as fit, and says how many those were. At least one: a notice that
 * is too large by itself makes a payload that the sender has to drop.
 */
export function packNotices(origin: string, notices: readonly EventNotice[]): { payload: string; packed: number } {
  const items: string[] = [];
  let bytes = Buffer.byteLength(JSON.stringify([origin]));
  for (const { tenantId, runId, toSeq } of notices) {
    const item = JSON.stringify([tenantId, runId, toSeq]);
    bytes += Buffer.byteLength(item) + 1;
    if (bytes > MAX_PAYLOAD_BYTES && items.length > 0) break;
    items.push(item);
  }
  return { payload: `[${[JSON.stringify(origin), ...items].join(',')}]`, packed: items.length };
}

/** The notices of a payload; `undefined` for anything that no sender of ours packed. */
export function unpackNotices(payload: string): Heard | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;

  const [origin, ...items] = parts as unknown[];
  const notices = items.map(toNotice).filter((notice) => notice !== undefined);
  return typeof origin === 'string' && notices.length === items.length ? { origin, notices } : undefined;
}

function toNotice(item: unknown): EventNotice | undefined {
  if (!Array.isArray(item)) return undefined;
  const [tenantId, runId, toSeq] = item as unknown[];
  if (typeof tenantId !== 'string' || typeof runId !== 'string' || !Number.isSafeInteger(toSeq)) return undefined;
  return { tenantId: tenantId as TenantId, runId: runId as RunId, toSeq: toSeq as number };
}

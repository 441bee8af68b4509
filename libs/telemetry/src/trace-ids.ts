import { createHash } from 'node:crypto';

/** The span of a run itself, until it is resumed: others link to it without reading its log. */
export const FIRST_SPAN = { seq: 1, key: 'run' };

/** The trace of a run: the same in every process and every time it is told. */
export function traceIdOf(tenantId: string, runId: string): string {
  return digestOf(`${tenantId} ${runId}`).slice(0, 32);
}

/** A span of a run. A stage and its first attempt begin with one event, so that is not enough to name them. */
export function spanIdOf(traceId: string, { seq, key }: { seq: number; key: string }): string {
  return digestOf(`${traceId} ${seq} ${key}`).slice(0, 16);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

import { InvalidRequestError } from '../edge/errors/request-errors.js';

/**
 * Where a stream begins. `Last-Event-ID: n` means after n, `since_seq=n` means from n; when both are given the later
 * one counts, and without either the stream begins with the first event.
 */
export function firstSeq(lastEventId: string | undefined, sinceSeq: number | undefined): number {
  return Math.max(afterLast(lastEventId), sinceSeq ?? 1);
}

function afterLast(lastEventId: string | undefined): number {
  if (lastEventId === undefined) return 1;
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId) + 1;
  throw new InvalidRequestError(['Last-Event-ID must be the seq of an event. Leave it out to read from the start.']);
}

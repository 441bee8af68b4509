import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type RunId } from '#libs/kernel';
import type { Idempotency } from '#libs/persistence';

/** What somebody wants to be made of a run. */
interface Request {
  operation: 'retry' | 'fork' | 'rewind';
  source: RunId;
  target?: string | null | undefined;
  edits?: object | undefined;
}

export type KeyedRequest = Idempotency & { requestSha256: string };

/** A request as it is known under its key, if it has one: by all that it asks for, so that no other one passes for it. */
export function keyedRequest(
  key: string | undefined,
  { operation, source, target = null, edits }: Request,
): KeyedRequest | null {
  if (key === undefined) return null;
  const asked = canonicalJson({ operation, source, target, edits: (edits ?? null) as Json });
  return { key, requestSha256: createHash('sha256').update(asked).digest('hex') };
}

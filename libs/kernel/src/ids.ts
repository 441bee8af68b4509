import { randomInt, randomUUID } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

export type TenantId = Branded<string, 'TenantId'>;
/** A ULID, 26 characters of Crockford base 32. */
export type RunId = Branded<string, 'RunId'>;
/** `<node_id>@<execution>`: one execution of a node. */
export type StageId = Branded<string, 'StageId'>;
/** `<run>/<stage>/<attempt>/<epoch>`: one try, by one owner of the lease. Handed to commands as `RUNYARD_ATTEMPT_ID`. */
export type AttemptId = Branded<string, 'AttemptId'>;

export const DEFAULT_TENANT = 'default' as TenantId;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(text: string): boolean {
  return ULID.test(text);
}

// Node draws these from a pool; the library's own source asks the system for every character.
const nextUlid = monotonicFactory(() => randomInt(32) / 32);

/** A fresh ULID; ids made by one process sort in the order they were made. */
export function newUlid(nowMs: number): string {
  return nextUlid(nowMs);
}

/** The moment in a ULID: when it was made, or what whoever chose it wrote there. */
export function ulidTimeMs(ulid: string): number {
  return decodeTime(ulid);
}

/** How the ULIDs of a moment begin: its ten characters. */
export function ulidTime(ms: number): string {
  return encodeTime(ms, 10);
}

/**
 * A UUID v7, made by the producer of an event so that a repeated append can be recognised: the moment in front, the
 * random part of a v4 behind it.
 */
export function newEventId(nowMs: number): string {
  const moment = nowMs.toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${random.slice(15)}`;
}

export function stageIdOf(nodeId: string, execution: number): StageId {
  return `${nodeId}@${execution}` as StageId;
}

export function attemptIdOf(runId: string, stageId: string, attempt: number, epoch: number): AttemptId {
  return `${runId}/${stageId}/${attempt}/${epoch}` as AttemptId;
}

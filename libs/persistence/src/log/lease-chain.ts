import type { Lease, RunKey } from '#libs/engine';

/** What the next write of a lease has to find: each append names its predecessor, so that one that comes late is none. */
export interface LeaseChain {
  /** The newest append of the run that a worker made, by its id. */
  lastAppendId: string | null;
  /** How far the log is known to reach. */
  lastSeq: number;
}

/** No log reaches this far: a lease without a chain can write nothing. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** They live as long as the leases that a claim gave, and are the same whichever connection writes. */
const chains = new WeakMap<RunKey, LeaseChain>();

export function beginChain(lease: Lease, chain: LeaseChain): void {
  chains.set(lease, chain);
}

/** Undefined for what no claim of this process gave: nothing can be written with it. */
export function chainOf(lease: RunKey): LeaseChain | undefined {
  return chains.get(lease);
}

/** The log is known to reach this far. */
export function reached(lease: RunKey, seq: number): void {
  const chain = chains.get(lease);
  if (chain && seq > chain.lastSeq) chain.lastSeq = seq;
}

/** An append, or a release, is the newest one now, and its last event has this seq. */
export function appended(lease: Lease, lastAppendId: string, toSeq: number): void {
  const chain = chains.get(lease);
  if (chain) chain.lastAppendId = lastAppendId;
  reached(lease, toSeq);
}

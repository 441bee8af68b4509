import { POISON_EPOCHS, SUSPECT_EPOCHS } from '#libs/engine';
import { heldBy, keyOf, promotedBetween, waiting, type Board, type Head } from './heads.js';

/** How often a tenant may see another one served before itself while it holds no more than that one: its share, give or take one. */
const MAX_PASSES = 2;

/** What one step may not do to the board. `isAlone` where nothing else happened at the same moment. */
export function* stepFaults(before: Board, after: Board, isAlone: boolean): Generator<string> {
  yield* limitFaults(before, after);
  if (isAlone) yield* choiceFaults(before, after);
}

function* limitFaults(before: Board, after: Board): Generator<string> {
  const [was, now] = [heldBy(before), heldBy(after)];
  const [sumBefore, sum] = [was, now].map((held) => [...held.values()].reduce((total, count) => total + count, 0));
  const most = Math.max(before.limit, after.limit);
  if (sum! > most && sum! > sumBefore!) yield `${sum} runs hold a slot under a limit of ${most}`;
  for (const [tenant, limit] of after.tenantLimits) {
    const count = now.get(tenant) ?? 0;
    if (count > limit && count > (was.get(tenant) ?? 0))
      yield `${tenant} holds ${count} slots under a limit of ${limit}`;
  }
}

/** The next run is one of a tenant with the fewest slots, and of its runs the first one. */
function* choiceFaults(before: Board, after: Board): Generator<string> {
  const held = heldBy(after);
  const left = waiting(after);
  for (const { tenantId, runId, runnableSeq } of promotedBetween(before, after)) {
    for (const other of left) {
      if (held.get(tenantId)! - 1 > (held.get(other) ?? 0))
        yield `${runId} of ${tenantId} got a slot, and ${other} holds fewer`;
    }
    for (const queued of after.heads.values()) {
      if (queued.slot !== 'queued' || queued.tenantId !== tenantId || !before.heads.has(keyOf(queued))) continue;
      if ((queued.runnableSeq ?? Infinity) < (runnableSeq ?? -Infinity)) yield `${runId} overtook ${queued.runId}`;
    }
  }
}

/** A round that nothing disturbed leaves no slot free that somebody waits for, and nobody parked whose moment has come. */
export function* roundFaults(after: Board): Generator<string> {
  const held = [...heldBy(after).values()].reduce((total, count) => total + count, 0);
  const [tenant] = waiting(after);
  if (tenant && held < after.limit) yield `${after.limit - held} slots are free, and a run of ${tenant} waits`;
  for (const { slot, status, isDue, runId } of after.heads.values()) {
    if (slot === 'parked' && isDue && status !== 'paused') yield `${runId} is due, and parked`;
  }
}

/** Who waits for how long is served: over any time, each tenant gets its share of what is given out, give or take one. */
export class Shares {
  private readonly passes = new Map<string, Map<string, number>>();

  *after(before: Board, after: Board): Generator<string> {
    const held = heldBy(after);
    const served = new Set<string>(promotedBetween(before, after).map(({ tenantId }) => tenantId));
    const [waited, waits] = [waiting(before), waiting(after)];
    for (const tenant of [...this.passes.keys()]) {
      if (served.has(tenant) || !waits.has(tenant)) this.passes.delete(tenant);
    }
    for (const tenant of waits) {
      if (served.has(tenant) || !waited.has(tenant)) continue;
      for (const other of served) {
        if (held.get(other)! - 1 < (held.get(tenant) ?? 0)) continue;
        const times = this.pass(tenant, other);
        if (times > MAX_PASSES) yield `${tenant} waits, and ${other}, which holds as many slots, got ${times} more`;
      }
    }
  }

  private pass(tenant: string, other: string): number {
    const passes = this.passes.get(tenant) ?? new Map<string, number>();
    this.passes.set(tenant, passes);
    passes.set(other, (passes.get(other) ?? 0) + 1);
    return passes.get(other)!;
  }
}

/** Nobody gets what another one holds, and of two claims at one moment one gets a run. */
export function* holdFaults(before: Board, claimed: readonly string[], isAlone: boolean): Generator<string> {
  const seen = new Set<string>();
  for (const key of claimed) {
    if (seen.has(key)) yield `${key} was claimed twice at once`;
    seen.add(key);
    if (isAlone && before.heads.get(key)?.isLeased) yield `${key} was claimed while somebody held it`;
  }
}

/** A claim that any run could have answered. */
export interface Claimed {
  limit: number;
  runs: readonly string[];
  /** The step in which each run that is held got its slot, and whether anybody has claimed it since. */
  since: ReadonlyMap<string, { step: number; wasClaimed: boolean }>;
}

/** Who has room leaves nobody unclaimed; lost runs come first, then those that wait the longest. Suspects come alone. */
export function* claimFaults(before: Board, after: Board, { limit, runs, since }: Claimed): Generator<string> {
  const taken = new Set(runs);
  const left = [...after.heads.values()].filter(
    (head) => head.slot === 'held' && head.isFree && !isSuspect(head) && before.heads.has(keyOf(head)),
  );
  if (runs.length < limit && left.length > 0) yield `a claim with room for ${limit} left ${left[0]!.runId}`;
  for (const key of taken) {
    const mine = since.get(key);
    if (!mine || mine.wasClaimed) continue;
    for (const head of left) {
      const other = since.get(keyOf(head));
      if (other?.wasClaimed) yield `${key} was claimed before ${head.runId}, which had lost its worker`;
      else if (other && other.step < mine.step)
        yield `${key} was claimed before ${head.runId}, which waited for longer`;
    }
  }
}

/** A run that may end its workers; how it was lost last is counted when it is claimed. */
function isSuspect({ epochsWithoutProgress, epoch }: Head): boolean {
  return epoch > 0 && epochsWithoutProgress >= SUSPECT_EPOCHS - 1 && epochsWithoutProgress < POISON_EPOCHS;
}

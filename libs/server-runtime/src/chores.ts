import {
  dropEmptyPartitions,
  ensurePartitionsAhead,
  forgetOldIdempotencyKeys,
  NewerEngines,
  Reaper,
  removeUnusedDefinitions,
  type ClockFollower,
  type Database,
  type LogRetention,
  type RunLedger,
  type Slots,
  type ViewCheck,
  type ViewRenewal,
} from '#libs/persistence';
import type { Chore, RunBell } from '#libs/scheduling';
import type { Logger } from './logger.js';
import { closeOverdueQuestions } from './paused-questions.js';
import { endUnheardCancels } from './unheard-cancels.js';

const WAKE = 'wake and promote';
const HOUR_MS = 3_600_000;
/** A worker that slept with this process renews its leases within this: it is not lost, and its runs are not to blame. */
const WAKING_MS = 5_000;
/** Well within the time in which readiness wants one. */
const PROBE_EVERY_MS = 5_000;
/** Good clocks part by a millisecond or two in this time; a jump is asked about at once. */
const FOLLOW_EVERY_MS = 30_000;

interface Tools {
  database: Database;
  slots: Slots;
  ledger: RunLedger;
  renewal: ViewRenewal;
  viewCheck: ViewCheck;
  retention: LogRetention | null;
  bell: RunBell;
  follower: Pick<ClockFollower, 'jumpedWithin'>;
  log: Logger;
  /** Does a chore now instead of at its next turn. */
  hurry: (name: string) => void;
}

/** The periodic jobs that find whatever was forgotten. One process does them for all. */
export function electedChores(tools: Tools): Chore[] {
  const { database, slots, renewal, viewCheck, retention, bell } = tools;
  const reaper = new Reaper(database);
  const newerEngines = new NewerEngines(database);
  const ringForUnclaimed = async (): Promise<void> => {
    const hints = await slots.unclaimed();
    if (hints.length > 0) await bell.ring(hints);
  };
  const chores: Chore[] = [
    { name: WAKE, everyMs: 1_000, run: () => wake(tools, ringForUnclaimed) },
    {
      name: 'reap dead workers',
      everyMs: 150,
      run: async () => {
        if ((await reaper.look()) > 0) await ringForUnclaimed();
      },
    },
    { name: 'ring for unclaimed runs', everyMs: 3_000, run: ringForUnclaimed },
    { name: 'park runs of newer engines', everyMs: 3_000, run: () => parkNewer(tools, newerEngines) },
    { name: 'forget idempotency keys', everyMs: 60_000, run: () => forgetOldIdempotencyKeys(database) },
    { name: 'remove unused definitions', everyMs: 60_000, run: () => removeUnusedDefinitions(database) },
    { name: 'renew read models', everyMs: 5_000, run: () => renewal.round() },
    {
      name: 'partitions',
      everyMs: HOUR_MS,
      run: async () => {
        const missing = await ensurePartitionsAhead(database);
        await dropEmptyPartitions(database);
        if (missing.length > 0)
          throw new Error(`The log has no partition yet for the months of ${missing.join(', ')}.`);
      },
    },
    ...(retention ? [{ name: 'retention', everyMs: 60_000, run: () => retention.round() }] : []),
    { name: 'check read models', everyMs: 5_000, run: () => viewCheck.round() },
  ];
  return chores.map((chore) => ({ ...chore, elected: true }));
}

async function parkNewer({ slots, log }: Tools, newerEngines: NewerEngines): Promise<void> {
  const { parked, queued } = await newerEngines.round();
  if (parked + queued === 0) return;
  await slots.wakeAndPromote();
  if (parked > 0) log.warn({ runs: parked }, 'Runs of a newer version wait until a worker of that version is there.');
  if (queued > 0) log.info({ runs: queued }, 'Runs go on that waited for a worker of their version.');
}

/** Asks the database for the time, in every process: workers also hear it with each claim and renewal. */
export function following(follower: ClockFollower): Chore {
  return { name: 'follow the database clock', everyMs: FOLLOW_EVERY_MS, run: () => follower.ask() };
}

/** Sends a probe through the queue, which readiness waits for. Only processes that consume jobs send one. */
export function probing(bell: RunBell): Chore {
  return {
    name: 'probe the queue',
    everyMs: PROBE_EVERY_MS,
    async run() {
      if (bell.heardAgoMs() !== null) await bell.roundTrip(PROBE_EVERY_MS);
    },
  };
}

/** Does what is due of runs that nobody drives, and comes back in time for one that is due before the next round. */
async function wake(
  { slots, ledger, follower, log, hurry }: Tools,
  ringForUnclaimed: () => Promise<void>,
): Promise<void> {
  const { expired, due, duePaused, unheardCancels, promotable, nextWakeMs } = await slots.outstanding();
  if (expired && !follower.jumpedWithin(WAKING_MS) && (await slots.expireLeases()) > 0) await ringForUnclaimed();
  if (due || promotable) await slots.wakeAndPromote();
  if (duePaused) await closeOverdueQuestions(slots, ledger, log);
  if (unheardCancels) await endUnheardCancels(slots, ledger, log);
  if (nextWakeMs !== null && nextWakeMs < 1_000) setTimeout(() => hurry(WAKE), nextWakeMs).unref();
}

import {
  CANCELLED,
  endUnread,
  LeaseLostError,
  type ClaimedRun,
  type DriveFault,
  type RunStore,
  type Walk,
} from '#libs/engine';
import type { FailureDetail, StampedEvent } from '#libs/events';
import { messageOf, RunyardError } from '#libs/kernel';
import type { Logger } from '#libs/server-runtime';
import type { DriverParts } from './driver-parts.js';
import { loadWalk } from './load-walk.js';

/** A run that this worker cannot go on with. */
interface StuckRun {
  claimed: ClaimedRun;
  parts: DriverParts;
  /** Whether this epoch reached a checkpoint. */
  hasGotOn: boolean;
  log: Logger;
}

/**
 * Lets go of a run with which a drive cannot go on, so that nobody takes its worker for lost: it is tried again later, or
 * ends when it is to be cancelled or a defect ended every try. Never rejects: where not even that can be stored, the
 * lease ends by itself.
 */
export async function giveUpRun(run: StuckRun, thrown: unknown): Promise<'given_up' | 'ended' | 'lost'> {
  const { claimed, parts, hasGotOn, log } = run;
  const fault: DriveFault = { kind: isAway(thrown) ? 'unavailable' : 'defect', cause: causeOf(thrown), hasGotOn };
  if (fault.kind === 'defect') log.error({ error: thrown }, 'A drive was ended by a defect.');
  else log.warn({ error: fault.cause }, 'A drive cannot go on now; the run is given back and tried again.');
  try {
    const answer = await parts.store.giveUp(claimed.lease, fault);
    if (answer.givenUp) return 'given_up';
    await (answer.because === 'cancel' ? endCancelled(run) : endDefective(run, fault.cause));
    return 'ended';
  } catch (again) {
    if (!(again instanceof LeaseLostError)) log.error({ error: again }, 'A run could not be given back.');
    return 'lost';
  }
}

/** A cancel ends a run that nobody can open, too. */
async function endCancelled({ claimed, parts }: StuckRun): Promise<void> {
  const events = await eventsOf(claimed, parts, (walk) => walk.cancel().events);
  await endWith(claimed, parts.store, events ?? [endUnread('cancelled', CANCELLED, parts.clock.now())]);
}

/** Where the state can be read the run fails, by name; else it is dead. */
async function endDefective({ claimed, parts, log }: StuckRun, cause: string): Promise<void> {
  const message = `A defect ended every try to go on with this run, the last of them so: ${cause}`;
  const detail: FailureDetail = { message, category: 'structural', system_actor: 'engine', signature: 'drive_defect' };
  try {
    const events = await eventsOf(claimed, parts, (walk) => walk.fail('workflow_error', detail).events);
    if (events) return await endWith(claimed, parts.store, events);
  } catch (thrown) {
    if (isAway(thrown) || thrown instanceof LeaseLostError) throw thrown;
    log.error({ error: thrown }, 'The end of a run could not be stored.');
  }
  await parts.store.quarantine(claimed.lease, cause);
  log.error({ cause }, 'A run is dead: nobody can read where it stands.');
}

/** What is decided about the run as its log has it; undefined when that cannot be read. */
async function eventsOf(
  claimed: ClaimedRun,
  parts: DriverParts,
  decide: (walk: Walk) => readonly StampedEvent[],
): Promise<readonly StampedEvent[] | undefined> {
  try {
    return decide(await loadWalk(claimed, parts));
  } catch (thrown) {
    if (isAway(thrown)) throw thrown;
    return undefined;
  }
}

/** What it has in its sandbox is removed by any worker of its host. */
async function endWith({ lease }: ClaimedRun, store: RunStore, events: readonly StampedEvent[]): Promise<void> {
  await store.release(lease, { events, slot: 'none', wakeAt: null, state: null });
}

function isAway(thrown: unknown): boolean {
  return thrown instanceof RunyardError && thrown.kind === 'unavailable';
}

/** One sentence after the other, from what was noticed to what began it. */
function causeOf(thrown: unknown): string {
  const sentences: string[] = [];
  for (let each: unknown = thrown; each !== undefined && sentences.length < 4;) {
    sentences.push(messageOf(each));
    each = each instanceof Error ? each.cause : undefined;
  }
  return sentences.join(' ');
}

import { isWithdrawal, pointsAtEnd, type Step } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import type { OpenRun } from './open-run.js';

/** How long hooks may hold up a cancelled run. */
const CANCEL_HOOKS_MS = 5_000;

/** The run is over: tells its hooks, stores the end with the last events, gives back the slot, removes the sandbox. */
export async function end(run: OpenRun, step: Step): Promise<void> {
  await tellEnd(run, step);
  await run.writer.flushed();
  run.parts.failpoints.reach('before_release');
  const events = await withdraw(run, step);
  await run.writer.release({ events, slot: 'none', wakeAt: null, state: null });
  try {
    await run.workspace.remove();
  } catch (thrown) {
    run.log.warn({ error: messageOf(thrown) }, 'The sandbox of an ended run could not be removed; it is tried again.');
  }
}

/**
 * Somebody may be answering what the run asks, so that is withdrawn under the lock; nothing is open any more when the end
 * is stored. Returns what is left to be stored: when this worker is lost first, the next one says it again.
 */
async function withdraw({ walk, writer }: OpenRun, step: Step): Promise<Step['events']> {
  const withdrawals = step.events.filter(isWithdrawal);
  if (withdrawals.length > 0) await writer.appendLocked(() => walk.confirm({ ...step, events: withdrawals }));
  return step.events.filter((event) => !isWithdrawal(event));
}

/** Hooks hear of the end before it is stored: when this worker is lost meanwhile, the next one tells them. */
async function tellEnd({ walk, hooks, workspace }: OpenRun, { events }: Step): Promise<void> {
  const limit = walk.state.cancelRequested ? setTimeout(() => hooks.interrupt(), CANCEL_HOOKS_MS) : undefined;
  for (const point of pointsAtEnd(events, workspace.isNeeded)) await hooks.tell(point);
  clearTimeout(limit);
}

/** Only time or others move the run on. False when others said something first: nothing was stored, it is still held. */
export async function park(run: OpenRun, { events, wakeAt }: Step): Promise<boolean> {
  const { walk } = run;
  if (walk.state.pause === 'requested') {
    const parked = await letGo(run, [...events, ...walk.rest().events], 'parked', wakeAt);
    if (!parked) walk.stir();
    return parked;
  }
  const wake_at = wakeAt === null ? {} : { wake_at: new Date(wakeAt).toISOString() };
  const parked = walk.note({ event: 'run.parked', properties: wake_at });
  return letGo(run, [...events, ...parked.events], 'parked', wakeAt);
}

/** Stages that are started and not begun yet are taken up by the next worker. False as for {@link park}. */
export function giveBack(run: OpenRun, { events }: Step): Promise<boolean> {
  return letGo(run, events, 'queued', null);
}

/** The run could not be let go because others said something: hears it and goes on, with what it was about to do. */
export async function goOn(run: OpenRun, { events, work, hooks }: Step): Promise<Step> {
  run.writer.append(events);
  await run.writer.hearOthers();
  if (run.walk.state.cancelRequested) return run.walk.cancel();
  const next = await run.advance();
  return { ...next, work: [...work, ...next.work], hooks: [...hooks, ...next.hooks] };
}

async function letGo(
  { walk, writer }: OpenRun,
  events: Step['events'],
  slot: 'parked' | 'queued',
  wakeAt: number | null,
): Promise<boolean> {
  const state = JSON.stringify(walk.state);
  return (await writer.release({ events, slot, wakeAt, state })).released;
}

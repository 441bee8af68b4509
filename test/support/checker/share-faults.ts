import { isTerminalEvent } from '#libs/events';
import type { CheckedRun } from './logged-event.js';

/** Of one other tenant's starts while a tenant waits for its first slot: its own turn comes after one of them, or two. */
const MAX_PASSES = 2;

type Step = 'ends' | 'waits' | 'starts';

interface Moment {
  tenantId: string;
  step: Step;
  storedAtMs: number;
  transaction: string;
}

interface Tenant {
  waiting: number;
  /** From the start of a run to its end, since nobody tells when a parked run gets a slot again. */
  begun: number;
  /** Starts of others since it waits. */
  passes: Map<string, number>;
}

/** Tenants that wait and have nothing at work while another one is served again and again. */
export function* shareFaults(runs: readonly CheckedRun[]): Generator<string> {
  const tenants = new Map<string, Tenant>();
  for (const moments of commitsOf(runs)) {
    for (const { tenantId, step } of moments) take(tenants, tenantId, step);
    const served = new Set(moments.flatMap(({ tenantId, step }) => (step === 'starts' ? [tenantId] : [])));
    for (const [tenantId, { waiting, begun, passes }] of tenants) {
      if (served.has(tenantId) || waiting === 0 || begun > 0) passes.clear();
      else yield* passed(tenantId, passes, served);
    }
  }
}

function* passed(tenantId: string, passes: Map<string, number>, served: ReadonlySet<string>): Generator<string> {
  for (const other of served) {
    const times = (passes.get(other) ?? 0) + 1;
    passes.set(other, times);
    if (times === MAX_PASSES + 1)
      yield `tenant ${tenantId} waits with nothing at work, and tenant ${other} is served ${times} times`;
  }
}

function take(tenants: Map<string, Tenant>, tenantId: string, step: Step): void {
  const tenant = tenants.get(tenantId) ?? { waiting: 0, begun: 0, passes: new Map<string, number>() };
  tenants.set(tenantId, tenant);
  if (step === 'waits') tenant.waiting++;
  else if (step === 'ends') tenant.begun--;
  else {
    tenant.waiting--;
    tenant.begun++;
  }
}

/** What happened in one commit has no order: slots that are given back come first. */
function commitsOf(runs: readonly CheckedRun[]): Moment[][] {
  const commits = new Map<string, Moment[]>();
  for (const moment of runs.flatMap(momentsOf).sort((a, b) => a.storedAtMs - b.storedAtMs)) {
    commits.set(moment.transaction, [...(commits.get(moment.transaction) ?? []), moment]);
  }
  const order: readonly Step[] = ['ends', 'waits', 'starts'];
  return [...commits.values()].map((moments) => moments.sort((a, b) => order.indexOf(a.step) - order.indexOf(b.step)));
}

/** Nothing of a run that left the queue otherwise than by its start: it was cancelled or paused there. */
function momentsOf({ head: { tenantId }, log }: CheckedRun): Moment[] {
  const moments: Moment[] = [];
  for (const [index, { event, storedAtMs, transaction }] of log.entries()) {
    const step = stepOf(event, moments.at(-1)?.step);
    if (!step || (step === 'waits' && leavesQueue(log.slice(index + 1)))) continue;
    moments.push({ tenantId, step, storedAtMs, transaction });
  }
  return moments;
}

function stepOf(event: string, last: Step | undefined): Step | undefined {
  if (event === 'run.runnable') return 'waits';
  if (event === 'run.starting') return last === 'waits' ? 'starts' : undefined;
  return isTerminalEvent(event) && last === 'starts' ? 'ends' : undefined;
}

function leavesQueue(later: CheckedRun['log']): boolean {
  const next = later.find(({ event }) => event === 'run.starting' || event === 'run.paused' || isTerminalEvent(event));
  return next !== undefined && next.event !== 'run.starting';
}

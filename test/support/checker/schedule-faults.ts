import type { CheckedRun, LoggedEvent } from './logged-event.js';

/** The most runs whose commands were at work at one moment, as the database saw it. */
export function mostAtOnce(logs: readonly (readonly LoggedEvent[])[]): number {
  const steps = logs.flatMap((log) =>
    workingTimes(log).flatMap(([from, to]) => [[from, 1] as const, [to, -1] as const]),
  );
  steps.sort(([a, step], [b, other]) => a - b || step - other);
  let now = 0;
  return steps.reduce((most, [, step]) => Math.max(most, (now += step)), 0);
}

/** From the start of each command stage to its end; who takes a stage over goes on with it. */
function workingTimes(log: readonly LoggedEvent[]): [number, number][] {
  const times: [number, number][] = [];
  let since: number | undefined;
  for (const { event, handler, storedAtMs } of log) {
    if (event === 'stage.started' && handler === 'command') since ??= storedAtMs;
    if (since === undefined || !['stage.completed', 'stage.failed'].includes(event)) continue;
    times.push([since, storedAtMs]);
    since = undefined;
  }
  return times;
}

/** Where a run started after one of its tenant that was runnable later. What starts in one commit has no order. */
export function* startOrderFaults(runs: readonly CheckedRun[]): Generator<string> {
  const reached = new Map<string, { transaction: string; earlier: number; highest: number }>();
  for (const { tenantId, runId, runnableSeq, transaction } of startsOf(runs)) {
    const last = reached.get(tenantId);
    const earlier = (last?.transaction === transaction ? last.earlier : last?.highest) ?? 0;
    if (runnableSeq < earlier) yield `${runId}: number ${runnableSeq} of its tenant started after number ${earlier}`;
    reached.set(tenantId, { transaction, earlier, highest: Math.max(last?.highest ?? 0, runnableSeq) });
  }
}

interface Start {
  tenantId: string;
  runId: string;
  runnableSeq: number;
  storedAtMs: number;
  transaction: string;
}

/** The starts in their order. A run that is resumed gets another place, so it counts for nothing here. */
function startsOf(runs: readonly CheckedRun[]): Start[] {
  const starts = runs.flatMap(({ head: { tenantId, runId, runnableSeq }, log }): Start[] => {
    const [first, again] = log.filter(({ event }) => event === 'run.starting');
    if (!first || again || runnableSeq === null) return [];
    const { storedAtMs, transaction } = first;
    return [{ tenantId, runId, runnableSeq, storedAtMs, transaction }];
  });
  return starts.sort((a, b) => a.storedAtMs - b.storedAtMs);
}

import { Gauge, Registry } from 'prom-client';
import type { SystemFigures } from '#libs/persistence';

interface Row {
  name: string;
  help: string;
  /** The one label, where there are several values. */
  label?: string;
  of(figures: SystemFigures): number | Record<string, number>;
}

const seconds = (ms: number): number => ms / 1_000;

/** What is true of the server as a whole, whichever process is asked. docs/operations.md says when to worry. */
const ROWS: readonly Row[] = [
  { name: 'slots_limit', help: 'Runs that may execute at once.', of: ({ slots }) => slots.limit },
  { name: 'slots_in_use', help: 'Runs that hold a slot.', of: ({ slots }) => slots.held },
  { name: 'runs_queued', help: 'Runs that wait for a slot.', of: ({ slots }) => slots.queued },
  {
    name: 'runs_parked',
    help: 'Runs that wait for a person, a moment or a worker of a newer version.',
    of: ({ slots }) => slots.parked,
  },
  {
    name: 'runnable_age_seconds',
    help: 'How long the oldest run waits that could execute. For a worker: start more of them.',
    label: 'waiting_for',
    of: ({ waiting }) => ({ slot: seconds(waiting.forSlotMs), worker: seconds(waiting.forWorkerMs) }),
  },
  {
    name: 'leases',
    help: 'Rights of workers to drive a run; an expired one waits to be claimed.',
    label: 'state',
    of: ({ leases }) => ({ ...leases }),
  },
  {
    name: 'stuck_rows',
    help: 'Rows that something should have moved and did not.',
    label: 'kind',
    of: ({ stuck }) => ({ ...stuck }),
  },
  {
    name: 'workers',
    help: 'Workers that registered: alive, or gone without a word.',
    label: 'state',
    of: ({ workers }) => ({ ...workers }),
  },
  {
    name: 'views_compared_age_seconds',
    help: 'Since the read models of all runs were last compared with their logs.',
    of: ({ views }) => seconds(views.comparedAgoMs),
  },
  {
    name: 'views_mended',
    help: 'Runs whose read models said otherwise than their logs, ever; they were folded anew.',
    of: ({ views }) => views.mended,
  },
];

/** The figures of the whole server as Prometheus reads them. */
export class SystemMetrics {
  private readonly registry = new Registry();
  private readonly gauges = ROWS.map((row) => ({ row, gauge: gaugeOf(row, this.registry) }));

  text(figures: SystemFigures): Promise<string> {
    for (const { row, gauge } of this.gauges) show(gauge, row.label, row.of(figures));
    return this.registry.metrics();
  }
}

function gaugeOf({ name, help, label }: Row, registry: Registry): Gauge {
  const labelNames = label === undefined ? [] : [label];
  return new Gauge({ name: `runyard_${name}`, help, labelNames, registers: [registry] });
}

function show(gauge: Gauge, label: string | undefined, value: number | Record<string, number>): void {
  if (typeof value === 'number') gauge.set(value);
  else for (const [kind, number] of Object.entries(value)) gauge.set({ [label!]: kind }, number);
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { packageVersion } from '#libs/config';
import type { Flush } from '#libs/persistence';
import type { Upkeep } from '#libs/scheduling';

/** How much of what it can take on a part of this process has taken on. */
export interface Load {
  readonly slots: number;
  readonly slotsInUse: number;
}

export interface Observed {
  upkeep: Pick<Upkeep, 'report'>;
  connections: () => { open: number; idle: number; awaited: number };
}

const FLUSH_SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const FLUSH_EVENTS_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 1_000];
/** Few, because each is a series for every route, method and status. */
const REQUEST_SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10];

/** What is true of this process alone. Parts of it add themselves while they run. */
export class ProcessMetrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  /** The workers that run in this process. */
  readonly workers = new Set<Load>();
  /** Each tells how many event streams it has open. */
  readonly streams = new Set<() => number>();

  readonly requests = new Histogram({
    name: 'runyard_http_request_duration_seconds',
    help: 'Requests by route and status, event streams left out.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS_BUCKETS,
    registers: this.registers,
  });

  private readonly flushSeconds = new Histogram({
    name: 'runyard_append_flush_duration_seconds',
    help: 'Commits of appends, many runs in one.',
    buckets: FLUSH_SECONDS_BUCKETS,
    registers: this.registers,
  });
  private readonly flushEvents = new Histogram({
    name: 'runyard_append_flush_events',
    help: 'Events in a commit of appends.',
    buckets: FLUSH_EVENTS_BUCKETS,
    registers: this.registers,
  });

  constructor(observed: Observed) {
    collectDefaultMetrics({ register: this.registry });
    this.showVersion();
    this.showUpkeep(observed.upkeep);
    this.showConnections(observed.connections);
    this.showLoad();
  }

  readonly flushed = ({ events, ms }: Flush): void => {
    this.flushSeconds.observe(ms / 1_000);
    this.flushEvents.observe(events);
  };

  text(): Promise<string> {
    return this.registry.metrics();
  }

  private showVersion(): void {
    const name = 'runyard_build_info';
    const info = new Gauge({ name, help: 'The version.', labelNames: ['version'], registers: this.registers });
    info.set({ version: packageVersion() }, 1);
  }

  private showUpkeep(upkeep: Observed['upkeep']): void {
    const labelNames = ['duty'];
    new Gauge({
      name: 'runyard_upkeep_lag_seconds',
      help: 'Since each duty of the upkeep last ended well in this process.',
      labelNames,
      registers: this.registers,
      collect() {
        for (const { name, lagMs } of upkeep.report()) this.set({ duty: name }, lagMs / 1_000);
      },
    });
    new Gauge({
      name: 'runyard_upkeep_interval_seconds',
      help: 'The rest that each duty takes between its rounds.',
      labelNames,
      registers: this.registers,
      collect() {
        for (const { name, everyMs } of upkeep.report()) this.set({ duty: name }, everyMs / 1_000);
      },
    });
    new Counter({
      name: 'runyard_upkeep_failures_total',
      help: 'Rounds of each duty that failed.',
      labelNames,
      registers: this.registers,
      collect() {
        this.reset();
        for (const { name, failures } of upkeep.report()) this.inc({ duty: name }, failures);
      },
    });
  }

  private showConnections(read: Observed['connections']): void {
    new Gauge({
      name: 'runyard_database_connections',
      help: 'Connections of the pool, open and idle, and callers that wait for one.',
      labelNames: ['state'],
      registers: this.registers,
      collect() {
        for (const [state, count] of Object.entries(read())) this.set({ state }, count);
      },
    });
  }

  private showLoad(): void {
    const { workers, streams, registers } = this;
    const gauge = (name: string, help: string, read: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect: function () {
          this.set(read());
        },
      });
    };
    const sum = (part: keyof Load): number => [...workers].reduce((total, worker) => total + worker[part], 0);
    gauge('runyard_worker_slots', 'Runs that this process can drive at once.', () => sum('slots'));
    gauge('runyard_worker_slots_in_use', 'Runs that this process drives.', () => sum('slotsInUse'));
    gauge('runyard_open_streams', 'Event streams that this process has open.', () =>
      [...streams].reduce((total, count) => total + count(), 0),
    );
  }
}

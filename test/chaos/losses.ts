import type { Member } from './member.js';
import type { Report } from './scenario.js';
import type { Site } from './site.js';

/** A run in the epoch of its worker. */
export interface Held {
  runId: string;
  epoch: number;
}

interface Loss extends Held {
  atMs: number;
}

/** Which runs lost their worker, when, and how soon another one spoke. */
export class Losses {
  private readonly lost: Loss[] = [];

  constructor(private readonly site: Site) {}

  private heldBy({ pid }: Member): Promise<Held[]> {
    return this.site.stores.sql<Held>(
      `SELECT run_id AS "runId", lease_epoch::int AS epoch FROM run_heads WHERE slot = 'held' AND lease_owner LIKE $1`,
      [`%-${pid}-%`],
    );
  }

  /** Kills a worker and notes what it held. */
  async kill(worker: Member): Promise<void> {
    const { pid } = worker;
    if (pid === undefined) return;
    const atMs = Date.now();
    process.kill(pid, 'SIGKILL');
    for (const held of await this.heldBy(worker)) this.lost.push({ ...held, atMs });
    await worker.kill();
  }

  /** The workers that hold the most runs at this moment. */
  async busiest(workers: readonly Member[], count: number): Promise<Member[]> {
    const holding = await Promise.all(
      workers.map(async (worker) => ({ worker, runs: (await this.heldBy(worker)).length })),
    );
    holding.sort((a, b) => b.runs - a.runs);
    return holding.slice(0, count).map(({ worker }) => worker);
  }

  /** Stops a worker where it stands. Returns what it held. */
  async freeze(worker: Member): Promise<Held[]> {
    const atMs = Date.now();
    worker.freeze();
    const held = await this.heldBy(worker);
    this.lost.push(...held.map((one) => ({ ...one, atMs })));
    return held;
  }

  /** How many of these runs somebody else has claimed, or brought to an end, since. */
  async claimedSince(held: readonly Held[]): Promise<number> {
    const rows = await this.site.stores.sql<Held>(
      'SELECT run_id AS "runId", lease_epoch::int AS epoch FROM run_heads WHERE run_id = ANY($1)',
      [held.map(({ runId }) => runId)],
    );
    const now = new Map(rows.map(({ runId, epoch }) => [runId, epoch]));
    return held.filter(({ runId, epoch }) => now.get(runId)! > epoch).length;
  }

  /** How long the lost runs stood still; a fault for each that did so for longer than it may. */
  async examine(withinMs = Infinity): Promise<Pick<Report, 'faults' | 'figures'>> {
    const stoodMs: number[] = [];
    const faults: string[] = [];
    for (const { runId, epoch, atMs } of this.lost) {
      const [next] = await this.site.stores.sql<{ atMs: number; epoch: number }>(
        `SELECT (extract(epoch FROM stored_at) * 1000)::float AS "atMs", epoch::int FROM run_events
          WHERE run_id = $1 AND epoch > $2 ORDER BY seq LIMIT 1`,
        [runId, epoch],
      );
      const stood = next ? next.atMs - atMs : Infinity;
      stoodMs.push(stood);
      if (stood > withinMs) {
        const who = next ? `epoch ${next.epoch} went on after ${Math.round(stood)} ms` : 'nobody went on';
        faults.push(`${runId}: ${who} where epoch ${epoch} was lost`);
      }
    }
    if (stoodMs.length === 0) return { faults, figures: {} };
    stoodMs.sort((a, b) => a - b);
    return {
      faults,
      figures: {
        lost: stoodMs.length,
        'resumed ms (median)': Math.round(stoodMs[Math.floor(stoodMs.length / 2)]!),
        'resumed ms (worst)': Math.round(stoodMs.at(-1)!),
      },
    };
  }
}

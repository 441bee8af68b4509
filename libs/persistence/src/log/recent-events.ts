import { LRUCache } from 'lru-cache';
import type { RunKey } from '#libs/engine';
import type { GrownLog } from './commit-signals.js';
import { keyOf } from './locked-heads.js';
import type { LogRow } from './read-log.js';

const MAX_BYTES = 16 * 1024 * 1024;

interface Stretch {
  /** Which run with this id it is of, once that is known. */
  bornAt: string | null;
  firstSeq: number;
  bodies: string[];
  bytes: number;
}

/**
 * The newest events of the logs that this process wrote itself, so that followers in the same process need not read back
 * what was committed a moment ago. Only committed events come here, each stretch without a gap; what is not here is read
 * from the database. At most 16 MiB, the logs that grew last.
 *
 * Another process may remove a run and somebody make one with the same id, and nobody need tell this process. So who reads
 * says which of them he means, and gets nothing from a stretch that is not known to be of that one.
 */
export class RecentEvents {
  private readonly stretches = new LRUCache<string, Stretch>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  });

  add({ toSeq, bodies, ...run }: GrownLog): void {
    if (bodies.length === 0) return;
    const key = keyOf(run);
    const firstSeq = toSeq - bodies.length + 1;
    const before = this.stretches.peek(key);
    const joins = before !== undefined && before.firstSeq + before.bodies.length === firstSeq;
    const stretch = joins ? before : { bornAt: null, firstSeq, bodies: [], bytes: 0 };
    stretch.bodies.push(...bodies);
    stretch.bytes += bodies.reduce((sum, body) => sum + body.length, 0);
    // The cache measures what is new to it only.
    this.stretches.delete(key);
    this.stretches.set(key, stretch);
  }

  /**
   * Says which run with this id some rows are of, that follow each other. A body holds its event's own id, so a stretch
   * that begins with one of these rows is of the same run, and one that begins with another body is of an earlier one.
   */
  identify(run: RunKey, bornAt: string, rows: readonly LogRow[]): void {
    const stretch = this.stretches.peek(keyOf(run));
    if (!stretch || stretch.bornAt === bornAt) return;
    const first = rows[stretch.firstSeq - (rows[0]?.seq ?? 1)];
    if (!first) return;
    if (first.body === stretch.bodies[0]) stretch.bornAt = bornAt;
    else this.remove(run);
  }

  /** At most `limit` rows from `fromSeq` on of the run that was born then; undefined when the first of them is not here. */
  read(run: RunKey, bornAt: string, fromSeq: number, limit: number): LogRow[] | undefined {
    const stretch = this.stretches.peek(keyOf(run));
    if (stretch?.bornAt !== bornAt) return undefined;
    const start = fromSeq - stretch.firstSeq;
    if (start < 0 || start >= stretch.bodies.length) return undefined;
    return stretch.bodies.slice(start, start + limit).map((body, i) => ({ seq: fromSeq + i, body }));
  }

  remove(run: RunKey): void {
    this.stretches.delete(keyOf(run));
  }
}

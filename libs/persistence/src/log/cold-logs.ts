import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ObjectStore, RunKey } from '#libs/engine';
import { LogUnreadableError } from '../errors.js';
import { eventsOf, type ColdEvent } from './cold-events.js';
import { logKey, objectOf, type ColdMark, type LogPart } from './cold-mark.js';

/** Characters of lines that are kept, the parts read last. */
const MAX_CACHED = 32 * 1024 * 1024;

const expand = promisify(gunzip);

interface StoredPart {
  run: RunKey;
  /** The object that it lies in ends with this event. */
  toSeq: number;
  part: LogPart;
}

interface PartRead {
  events: ColdEvent[];
  size: number;
}

/** Logs that lie in the object store. Readers of the same part fetch it once, and what was read last is kept. */
export class ColdLogs {
  private readonly cache = new LRUCache<string, PartRead, StoredPart>({
    maxSize: MAX_CACHED,
    sizeCalculation: ({ size }) => Math.max(size, 1),
    fetchMethod: (_, __, { context }) => this.fetch(context),
    // Those who wait for a part get it, also where it need not be kept any more.
    ignoreFetchAbort: true,
  });

  constructor(private readonly objects: ObjectStore) {}

  /** The moved events of `[fromSeq, toSeq)`, in order. Throws {@link LogUnreadableError} when the object is not what was stored. */
  async read(run: RunKey, mark: ColdMark, fromSeq: number, toSeq: number): Promise<ColdEvent[]> {
    const events: ColdEvent[] = [];
    for await (const part of this.stretches(run, mark, fromSeq, toSeq)) events.push(...part);
    return events;
  }

  /** The same, part by part: at no time more of it than one. */
  async *stretches(run: RunKey, mark: ColdMark, fromSeq: number, toSeq: number): AsyncGenerator<ColdEvent[]> {
    for (const [i, part] of mark.parts.entries()) {
      const beyond = mark.parts[i + 1]?.firstSeq ?? mark.toSeq + 1;
      if (beyond <= fromSeq || part.firstSeq >= toSeq) continue;
      const events = await this.part(run, mark, part);
      yield events.filter(({ seq }) => seq >= fromSeq && seq < toSeq);
    }
  }

  /** The lines of one part of the object that ends with this event, as the store has them now. */
  async lines(run: RunKey, toSeq: number, { start, end }: LogPart): Promise<string> {
    const body = await this.objects.getRange(logKey(run, toSeq), start, end);
    if (body?.length !== end - start) throw new LogUnreadableError(run.runId);
    try {
      return (await expand(body)).toString();
    } catch (cause) {
      throw new LogUnreadableError(run.runId, { cause });
    }
  }

  private async part(run: RunKey, mark: ColdMark, part: LogPart): Promise<ColdEvent[]> {
    const toSeq = objectOf(mark, part);
    const key = `${logKey(run, toSeq)} ${mark.sha256} ${part.firstSeq}`;
    const { events } = await this.cache.forceFetch(key, { context: { run, toSeq, part } });
    return events;
  }

  private async fetch({ run, toSeq, part }: StoredPart): Promise<PartRead> {
    const lines = await this.lines(run, toSeq, part);
    return { events: eventsOf(lines), size: lines.length };
  }
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ObjectStore, RunKey } from '#libs/engine';
import { LogUnreadableError } from '../errors.js';
import { eventsOf, type ColdEvent } from './cold-events.js';
import { logKey, type ColdMark, type LogPart } from './cold-mark.js';

/** Characters of lines that are kept, the parts read last. */
const MAX_CACHED = 32 * 1024 * 1024;

const expand = promisify(gunzip);

interface Cached {
  events: Promise<ColdEvent[]>;
  size: number;
}

/** Logs that lie in the object store. Readers of the same part fetch it once, and what was read last is kept. */
export class ColdLogs {
  private readonly cache = new Map<string, Cached>();
  private size = 0;

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

  /** The lines of one part as the store has them now. */
  async lines(run: RunKey, toSeq: number, { start, end }: LogPart): Promise<string> {
    const body = await this.objects.getRange(logKey(run, toSeq), start, end);
    if (body?.length !== end - start) throw new LogUnreadableError(run.runId);
    try {
      return (await expand(body)).toString();
    } catch (cause) {
      throw new LogUnreadableError(run.runId, { cause });
    }
  }

  private part(run: RunKey, { toSeq, sha256 }: ColdMark, part: LogPart): Promise<ColdEvent[]> {
    const key = `${logKey(run, toSeq)} ${sha256} ${part.firstSeq}`;
    const known = this.cache.get(key);
    if (known) {
      this.cache.delete(key);
      this.cache.set(key, known);
      return known.events;
    }
    const cached: Cached = { events: this.fetch(key, run, toSeq, part), size: 0 };
    this.cache.set(key, cached);
    return cached.events;
  }

  private async fetch(key: string, run: RunKey, toSeq: number, part: LogPart): Promise<ColdEvent[]> {
    try {
      const lines = await this.lines(run, toSeq, part);
      const events = eventsOf(lines);
      this.grow(key, lines.length);
      return events;
    } catch (thrown) {
      this.cache.delete(key);
      throw thrown;
    }
  }

  private grow(key: string, size: number): void {
    const cached = this.cache.get(key);
    if (!cached) return;
    cached.size = size;
    this.size += size;
    for (const [oldest, { size: freed }] of this.cache) {
      if (this.size <= MAX_CACHED) return;
      this.cache.delete(oldest);
      this.size -= freed;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunKey } from '#libs/engine';
import type { EventEnvelope } from '#libs/events';
import { messageOf } from '#libs/kernel';
import type { GrownLog, RunLedger } from '#libs/persistence';
import { RunTrace, type OtlpTraces } from '#libs/telemetry';
import type { Logger } from './logger.js';

/** An end of a run: the log up to the append that holds it. */
interface Ended extends RunKey {
  toSeq: number;
}

const MAX_WAITING = 1_000;
const PAGE = 1_000;
const CLOSE_MS = 3_000;

/**
 * Tells the trace of each run that ends in this process, once, after the end is stored: whoever stores it knows of it, so
 * nothing is polled, and no run waits for a collector. A trace is lost when the process dies before it was sent, when the
 * collector stays away, and when {@link MAX_WAITING} others wait; the log that it is made from is not.
 */
export class TraceKeeper {
  private readonly waiting: Ended[] = [];
  private underway: Promise<void> | undefined;
  private dropped = 0;
  private closed = false;

  constructor(
    private readonly traces: Pick<OtlpTraces, 'send' | 'close'>,
    private readonly readLog: RunLedger['readLog'],
    private readonly log: Logger,
  ) {}

  readonly note = ({ tenantId, runId, toSeq, bodies }: GrownLog): void => {
    if (this.closed || !bodies.some(mayEndRun)) return;
    this.waiting.push({ tenantId, runId, toSeq });
    if (this.waiting.length > MAX_WAITING) {
      this.waiting.shift();
      this.dropped++;
    }
    this.underway ??= this.tellAll();
  };

  /** Tells what waits as far as there is time for it. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.race([this.underway, sleep(CLOSE_MS, undefined, { ref: false })]);
    this.waiting.length = 0;
    await this.traces.close();
  }

  private async tellAll(): Promise<void> {
    for (let ended = this.waiting.shift(); ended; ended = this.waiting.shift()) {
      await this.tell(ended);
      if (this.dropped > 0) this.log.warn({ dropped: this.dropped }, 'Too many traces waited; some were given up.');
      this.dropped = 0;
    }
    this.underway = undefined;
  }

  private async tell({ tenantId, runId, toSeq }: Ended): Promise<void> {
    try {
      const trace = new RunTrace(tenantId);
      for (let seq = 1; seq <= toSeq;) {
        const page = await this.readLog({ tenantId, runId }, seq, PAGE, toSeq + 1);
        // The run was removed meanwhile.
        if (page.length === 0) return;
        for (const { json } of page) trace.hear(JSON.parse(json) as EventEnvelope);
        seq = page.at(-1)!.seq + 1;
      }
      if (trace.isOver) await this.traces.send(tenantId, runId, trace.spans);
    } catch (thrown) {
      const log = this.log.child({ run: runId, tenant: tenantId });
      log.warn({ error: messageOf(thrown) }, 'The trace of a run could not be told; it is given up.');
    }
  }
}

/** Cheap, and wrong only where a value of a context looks like an event. */
function mayEndRun(body: string): boolean {
  return body.includes('"event":"run.completed"') || body.includes('"event":"run.failed"');
}

import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiCaller, type Answer, type Question } from '../support/api-caller.js';
import type { Acknowledgement, History, OperationKind } from './history.js';

/** How long it tries before it gives up. */
const PATIENCE_MS = 90_000;
const REPLY_MS = 10_000;
const REST_MS = 250;

interface Wish {
  kind: OperationKind;
  runId: string;
  questionId?: string;
  path: string;
  body?: unknown;
}

/** A client that knows several API processes and tries again until somebody gives it an answer, and remembers it all. */
export class PersistentClient {
  private readonly callers: readonly ApiCaller[];
  private turn = 0;

  constructor(
    urls: readonly string[],
    token: string,
    private readonly directory: string,
    private readonly history: History,
  ) {
    this.callers = urls.map((url) => new ApiCaller(url, token, directory));
  }

  create(runId: string, source: string, changes: Record<string, unknown> = {}): Promise<Acknowledgement> {
    const manifest = this.manifest(runId, source, changes);
    return this.wish({ kind: 'create', runId, path: '/api/v1/runs', body: manifest });
  }

  start(runId: string): Promise<Acknowledgement> {
    return this.wish({ kind: 'start', runId, path: `/api/v1/runs/${runId}/start` });
  }

  cancel(runId: string): Promise<Acknowledgement> {
    return this.wish({ kind: 'cancel', runId, path: `/api/v1/runs/${runId}/cancel` });
  }

  answer(runId: string, questionId: string, option: string): Promise<Acknowledgement> {
    const path = `/api/v1/runs/${runId}/questions/${questionId}/answer`;
    return this.wish({ kind: 'answer', runId, questionId, path, body: { kind: 'selected', option_key: option } });
  }

  /** Lets a failed run go on, as often as it takes; false when it did not within the patience of a person. */
  async resume(runId: string): Promise<boolean> {
    const path = `/api/v1/runs/${runId}/start`;
    return this.patiently(async () => {
      const reply = await this.send('POST', path, { resume: true });
      return reply?.status === 200 || ((await this.status(runId))?.kind ?? 'failed') !== 'failed';
    });
  }

  /** Makes a run from another one, one however often it takes to hear of it; its id, undefined when nobody said it. */
  async another(runId: string, how: 'fork' | 'rewind' | 'retry'): Promise<string | undefined> {
    const headers = { 'idempotency-key': newUlid(Date.now()) };
    let made: string | undefined;
    await this.patiently(async () => {
      const path = `/api/v1/runs/${runId}/${how}`;
      const reply = await this.send<{ id?: string; new_run_id?: string }>('POST', path, undefined, headers);
      if (reply && reply.status < 300) made = reply.body.new_run_id ?? reply.body.id;
      return made !== undefined;
    });
    if (made === undefined) return undefined;
    this.history.add({ kind: 'create', runId: made, acknowledgement: 'acknowledged', statuses: [], tookMs: 0 });
    return made;
  }

  manifest(runId: string, source: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
    return this.callers[0]!.manifest(source, { run_id: runId, args: { provider: 'simulated' }, ...changes });
  }

  /** Asks once, whatever comes of it; nobody remembers it. Returns the status of the reply; undefined when none came. */
  async once(path: string, body?: unknown): Promise<number | undefined> {
    return (await this.send('POST', path, body))?.status;
  }

  /** What a run asks; nothing when nobody says. */
  async questions(runId: string): Promise<Question[]> {
    const answer = await this.send<{ data: Question[] }>('GET', `/api/v1/runs/${runId}/questions?limit=100`);
    return answer?.status === 200 ? answer.body.data : [];
  }

  /** The status of a run; undefined when nobody says. */
  async status(runId: string): Promise<{ kind: string; reason?: string } | undefined> {
    const answer = await this.send<{ lifecycle: { status: { kind: string; reason?: string } } }>(
      'GET',
      `/api/v1/runs/${runId}`,
    );
    return answer?.status === 200 ? answer.body.lifecycle.status : undefined;
  }

  /** Of the reply that came; undefined when none came. */
  private send<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T> | undefined> {
    const caller = this.callers[this.turn++ % this.callers.length]!;
    const sending = { headers, signal: AbortSignal.timeout(REPLY_MS), ...(body !== undefined && { body }) };
    return caller.send<T>(method, path, sending).catch(() => undefined);
  }

  private async patiently(isDone: () => Promise<boolean>): Promise<boolean> {
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(REST_MS)) {
      if (await isDone()) return true;
    }
    return false;
  }

  private async wish({ path, body, ...what }: Wish): Promise<Acknowledgement> {
    const began = performance.now();
    const statuses: number[] = [];
    let acknowledgement: Acknowledgement | undefined;
    while (acknowledgement === undefined) {
      const reply = await this.send('POST', path, body);
      const isRepeat = statuses.some((status) => status === 0 || status >= 500);
      statuses.push(reply?.status ?? 0);
      acknowledgement = meaningOf(reply?.status, isRepeat);
      if (acknowledgement === undefined && performance.now() - began > PATIENCE_MS) acknowledgement = 'unknown';
      if (acknowledgement === undefined) await sleep(REST_MS);
    }
    this.history.add({ ...what, acknowledgement, statuses, tookMs: performance.now() - began });
    return acknowledgement;
  }
}

/** Undefined means: ask again. A conflict after a reply that was lost says that the earlier try was done. */
function meaningOf(status: number | undefined, isRepeat: boolean): Acknowledgement | undefined {
  if (status === undefined || status >= 500 || status === 429) return undefined;
  if (status < 300 || (status === 409 && isRepeat)) return 'acknowledged';
  return 'refused';
}

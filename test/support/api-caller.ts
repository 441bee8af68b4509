import type { components } from '#libs/api-client';
import { until } from './until.js';

export type Run = components['schemas']['Run'];
export type RunStage = components['schemas']['RunStage'];
export type EventEnvelope = components['schemas']['EventEnvelope'];
export type Question = components['schemas']['ApiQuestion'];
export type QuestionAnswer = components['schemas']['SubmitAnswerRequest'];

/** What came back, whatever its status. */
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  text: string;
  /** The body, when it is JSON. */
  body: T;
}

export interface Sending {
  /** Sent as JSON; text is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Gives up waiting for the reply. */
  signal?: AbortSignal;
}

const RUNS = '/api/v1/runs';
const OVER: readonly string[] = ['succeeded', 'failed', 'dead'];

/** Somebody with a token, over real HTTP. The named calls expect success; {@link send} expects nothing. */
export class ApiCaller {
  constructor(
    readonly url: string,
    readonly token: string | null,
    /** Where the commands of its runs work. */
    readonly directory: string,
  ) {}

  async send<T = unknown>(
    method: string,
    path: string,
    { body, headers = {}, signal }: Sending = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(signal && { signal }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : null) as T };
  }

  /** A manifest that is valid if the workflow is. */
  manifest(source: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      version: 1,
      cwd: this.directory,
      target: { identifier: 'spec', path: 'spec.dot' },
      workflows: { 'spec.dot': { source } },
      ...changes,
    };
  }

  create(source: string, changes: Record<string, unknown> = {}): Promise<Run> {
    return this.expecting(201, 'POST', RUNS, { body: this.manifest(source, changes) });
  }

  start(id: string): Promise<Run> {
    return this.expecting(200, 'POST', `${RUNS}/${id}/start`);
  }

  /** Creates a run and starts it. */
  async begin(source: string, changes: Record<string, unknown> = {}): Promise<Run> {
    return this.start((await this.create(source, changes)).id);
  }

  cancel(id: string): Promise<Run> {
    return this.expecting(200, 'POST', `${RUNS}/${id}/cancel`);
  }

  pause(id: string): Promise<Run> {
    return this.expecting(200, 'POST', `${RUNS}/${id}/pause`);
  }

  unpause(id: string): Promise<Run> {
    return this.expecting(200, 'POST', `${RUNS}/${id}/unpause`);
  }

  get(id: string): Promise<Run> {
    return this.expecting(200, 'GET', `${RUNS}/${id}`);
  }

  async stages(id: string): Promise<RunStage[]> {
    return (await this.expecting<{ data: RunStage[] }>(200, 'GET', `${RUNS}/${id}/stages?limit=100`)).data;
  }

  /** What the run asks people now, the oldest first. */
  async questions(id: string): Promise<Question[]> {
    return (await this.expecting<{ data: Question[] }>(200, 'GET', `${RUNS}/${id}/questions?limit=100`)).data;
  }

  /** Waits until the run asks this many questions at once. */
  async asks(id: string, count = 1): Promise<Question[]> {
    let open: Question[] = [];
    await until(async () => (open = await this.questions(id)).length === count, `run ${id} asks ${count}`, 30_000);
    return open;
  }

  /** Answers a question. */
  async answer(id: string, question: string, answer: QuestionAnswer): Promise<void> {
    await this.expecting(204, 'POST', `${RUNS}/${id}/questions/${question}/answer`, { body: answer });
  }

  /** The whole log, page by page. */
  async events(id: string): Promise<EventEnvelope[]> {
    const events: EventEnvelope[] = [];
    for (let more = true; more;) {
      const path = `${RUNS}/${id}/events?limit=1000&since_seq=${events.length + 1}`;
      const page = await this.expecting<{ data: EventEnvelope[]; meta: { has_more: boolean } }>(200, 'GET', path);
      events.push(...page.data);
      more = page.meta.has_more;
    }
    return events;
  }

  /** Waits until the run is in this status. */
  async reaches(id: string, status: string, timeoutMs = 30_000): Promise<Run> {
    return this.sees(id, ({ kind }) => kind === status, `run ${id} is ${status}`, timeoutMs);
  }

  /** Waits until the run is over, however it went. */
  async ends(id: string, timeoutMs = 30_000): Promise<Run> {
    return this.sees(id, ({ kind }) => OVER.includes(kind), `run ${id} is over`, timeoutMs);
  }

  /** Creates, starts, and waits for the end. */
  async finish(source: string, changes: Record<string, unknown> = {}, timeoutMs = 30_000): Promise<Run> {
    return this.ends((await this.begin(source, changes)).id, timeoutMs);
  }

  /** Waits until the log holds an event of this name, about this stage if one is named. */
  async logs(id: string, event: string, stageId?: string, timeoutMs = 30_000): Promise<EventEnvelope> {
    let found: EventEnvelope | undefined;
    await until(
      async () => {
        const events = await this.events(id);
        found = events.find((one) => one.event === event && (stageId === undefined || one.stage_id === stageId));
        return found !== undefined;
      },
      `the log of ${id} holds ${event} ${stageId ?? ''}`,
      timeoutMs,
    );
    return found!;
  }

  private async sees(
    id: string,
    is: (status: Run['lifecycle']['status']) => boolean,
    what: string,
    timeoutMs: number,
  ): Promise<Run> {
    let run = await this.get(id);
    await until(async () => is((run = await this.get(id)).lifecycle.status), what, timeoutMs);
    return run;
  }

  private async expecting<T>(status: number, method: string, path: string, sending?: Sending): Promise<T> {
    const answer = await this.send<T>(method, path, sending);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status} instead of ${status}: ${answer.text}`);
  }
}

/** An event as it is stored, and as streams carry it: only pages of the log show checkpoints whole. */
export function asStored(event: EventEnvelope): EventEnvelope {
  if (event.event !== 'checkpoint.completed') return event;
  const { ordinal, status, current_node, graph_visit, next_node_id } = event.properties!;
  const stored = { ordinal, status, current_node, graph_visit, next_node_id };
  return { ...event, properties: JSON.parse(JSON.stringify(stored)) as typeof stored };
}

/** A workflow whose nodes are commands where nothing else is written. */
export function workflow(statements: string): string {
  return `digraph Spec {
    start [shape=Mdiamond] exit [shape=Msquare]
    node [shape=parallelogram]
    ${statements}
  }`;
}

/** The declaration of a command node. */
export function command(id: string, script: string, attributes = ''): string {
  return `${id} [script=${JSON.stringify(script)} ${attributes}]`;
}

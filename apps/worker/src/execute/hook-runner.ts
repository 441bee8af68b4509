import {
  askHook,
  kindOfHook,
  MAIN_CURSOR,
  payloadOf,
  PROCEED,
  runHooks,
  type Hook,
  type HookReport,
  type HookWork,
  type HttpCaller,
  type HookPoint,
  type HookDecision,
  type Walk,
} from '#libs/engine';
import { MAX_PHRASE_BYTES, type RunEvent } from '#libs/events';
import { shortenText } from '#libs/kernel';
import type { RunWorkspace } from '../workspace/run-workspace.js';
import type { RunWriter } from './run-writer.js';

interface HookParts {
  walk: Walk;
  writer: RunWriter;
  workspace: RunWorkspace;
  http: HttpCaller;
}

interface HookCalls {
  told(work: HookWork, decision: HookDecision): void;
  /** What led to a moment could not be stored, so nobody was asked; or a defect kept it from being asked. */
  failed(reason: unknown): void;
}

interface Asking {
  abort: AbortController;
  done: Promise<void>;
}

/** Asks the hooks of one run in one epoch, and says in the log that they were asked and what they said. */
export class HookRunner {
  private readonly underway = new Map<string, Asking>();
  private closed = false;

  constructor(
    private readonly parts: HookParts,
    private readonly calls: HookCalls,
  ) {}

  get isIdle(): boolean {
    return this.underway.size === 0;
  }

  /** Asks the hooks of a moment once what led to it is durable. After {@link close} nobody is asked. */
  launch(work: HookWork): void {
    if (this.closed) return;
    const abort = new AbortController();
    const done = this.ask(work, abort.signal)
      .then(
        (decision) => {
          if (!abort.signal.aborted) this.calls.told(work, decision);
        },
        (reason: unknown) => this.calls.failed(reason),
      )
      .finally(() => this.underway.delete(work.id));
    this.underway.set(work.id, { abort, done });
  }

  /** Tells the hooks of a moment at which nothing is decided any more. Ends with them, or when it is interrupted. */
  async tell(point: HookPoint): Promise<void> {
    const hooks = this.parts.walk.definition.hooks.concernedBy(point.event, point.facts);
    if (hooks.length === 0) return;
    this.launch({ id: point.event, path: MAIN_CURSOR, point, hooks });
    await this.underway.get(point.event)?.done;
  }

  /** Gives up asking, some of it or all; nobody waits for what they would say. */
  interrupt(ids: Iterable<string> = this.underway.keys()): void {
    for (const id of ids) this.underway.get(id)?.abort.abort();
  }

  /** Gives up asking and waits until it has stopped. */
  async stop(): Promise<void> {
    this.interrupt();
    await Promise.all([...this.underway.values()].map(({ done }) => done));
  }

  /** As {@link stop}, for good. */
  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
  }

  private async ask(work: HookWork, signal: AbortSignal): Promise<HookDecision> {
    await this.parts.writer.flushed();
    return runHooks(work.hooks, (hook) =>
      signal.aborted ? Promise.resolve(PROCEED) : this.askOne(hook, work, signal),
    );
  }

  private async askOne(
    hook: Hook,
    { id, path, point }: HookWork,
    signal: AbortSignal,
  ): Promise<HookReport['decision']> {
    const { walk, writer, workspace, http } = this.parts;
    const { node_id, node_label } = point.facts;
    const scope = { ...(node_id !== undefined && { node_id }), ...(node_label !== undefined && { node_label }) };
    const say = (event: RunEvent): void => writer.append([walk.remark({ ...event, ...scope }, path)]);
    const named = { hook_name: hook.name, point: point.event, kind: kindOfHook(hook) };

    say({ event: 'hook.started', properties: named });
    const began = performance.now();
    const report = await askHook(hook, {
      // What a resumed run asks is asked anew.
      id: `${walk.definition.runId}/${walk.state.resumes}/${id}/${hook.name}`,
      epoch: walk.moment.epoch,
      payload: payloadOf(walk.definition, point, workspace.directory),
      sandbox: () => workspace.open(),
      http,
      signal,
    });
    say(endOf(named, report, Math.round(performance.now() - began)));
    return report.decision;
  }
}

function inBrief(text: string): string {
  return shortenText(text, MAX_PHRASE_BYTES);
}

function endOf(
  named: { hook_name: string; point: string; kind: 'command' | 'http' },
  { decision, fault, exitCode, output }: HookReport,
  duration_ms: number,
): RunEvent {
  const properties = {
    ...named,
    decision: decision.decision,
    ...('reason' in decision && decision.reason !== undefined && { reason: inBrief(decision.reason) }),
    duration_ms,
    ...(exitCode !== undefined && { exit_code: exitCode }),
  };
  if (fault === undefined) return { event: 'hook.completed', properties };
  const shown = output && { exec_output_tail: output };
  return { event: 'hook.failed', properties: { ...properties, error: inBrief(fault), ...shown } };
}

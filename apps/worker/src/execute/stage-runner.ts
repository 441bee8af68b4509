import { setTimeout as sleep } from 'node:timers/promises';
import {
  contextEntry,
  erroredBy,
  isDefect,
  isLimitedByWorker,
  type AttemptResult,
  type HandlerTable,
  type StageTask,
  type StageWork,
  type Walk,
} from '#libs/engine';
import type { Json } from '#libs/kernel';
import type { Node } from '#libs/language';
import { TimeLimit } from '#libs/kernel';
import type { Logger } from '#libs/server-runtime';
import type { Failpoints } from '../failpoints.js';
import { fitValues } from '../values/fit-values.js';
import type { KeptValues } from '../values/kept-values.js';
import { putTogether, textOf } from '../values/put-together.js';
import type { RunWorkspace } from '../workspace/run-workspace.js';
import type { RunWriter } from './run-writer.js';
import type { ShowText } from './show-text.js';
import { withListsRead } from '../values/list-files.js';
import { withValuesTold } from '../values/told-values.js';
import { StallWatch } from './stall-watch.js';

interface RunnerParts {
  walk: Walk;
  writer: RunWriter;
  workspace: RunWorkspace;
  kept: KeptValues;
  handlers: HandlerTable;
  failpoints: Failpoints;
  show: ShowText;
  /** Bound to the run and its epoch. */
  log: Logger;
}

interface RunnerCalls {
  finished(path: string, stageId: string, result: AttemptResult): void;
  stalled(): void;
  /** What led to a stage could not be stored, so it was not executed. */
  failed(reason: unknown): void;
}

interface Execution {
  abort: AbortController;
  done: Promise<void>;
}

type Values = Readonly<Record<string, Json>>;

/** How soon the object store is asked again to keep what must not be lost. */
const KEEP_AGAIN_MS = 1_000;

/** Executes the stages of one run in one epoch, and stops them all when the run is cancelled, lost or let go. */
export class StageRunner {
  private readonly underway = new Map<string, Execution>();
  private readonly threads: StageTask['threads'] = new Map();
  private readonly stall: StallWatch;
  private closed = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly calls: RunnerCalls,
  ) {
    const { stallTimeoutMs } = parts.walk.definition.index.graph.attributes;
    this.stall = new StallWatch(stallTimeoutMs, () => calls.stalled());
  }

  get isIdle(): boolean {
    return this.underway.size === 0;
  }

  /** The stages that are being executed. */
  get executing(): string[] {
    return [...this.underway.keys()];
  }

  /** Executes a stage once its start is durable, and tells what came of it. After {@link close} nothing is executed. */
  launch(work: StageWork): void {
    if (this.closed) return;
    const { id } = work.stage;
    const abort = new AbortController();
    const done = this.execute(work, abort.signal)
      .then(
        (result) => this.calls.finished(work.path, id, result),
        (reason: unknown) => this.calls.failed(reason),
      )
      .finally(() => {
        this.underway.delete(id);
        if (this.isIdle) this.stall.disarm();
      });
    this.underway.set(id, { abort, done });
  }

  /** The stall watchdog begins anew, if something is still executed. */
  watchAgain(): void {
    if (!this.isIdle) this.stall.arm();
  }

  /** Asks the effects of these stages to end; nobody waits for what comes of them. */
  interruptStages(ids: readonly string[]): void {
    for (const id of ids) this.underway.get(id)?.abort.abort();
  }

  /** Ends every effect and waits until nothing is at work any more. */
  async stop(): Promise<void> {
    for (const { abort } of this.underway.values()) abort.abort();
    await Promise.all([...this.underway.values()].map(({ done }) => done));
  }

  /** As {@link stop}, for good; what a handler still says is not written. */
  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
    this.stall.disarm();
  }

  /** Rejects only where the start of the stage is not durable; whatever is thrown after it is an error of the attempt. */
  private async execute(work: StageWork, signal: AbortSignal): Promise<AttemptResult> {
    await this.parts.writer.flushed();
    const log = this.parts.log.child({ stage: work.stage.id });
    return this.attempt(work, signal, log).catch((thrown: unknown) => cutOff(thrown, signal, log));
  }

  private async attempt(work: StageWork, signal: AbortSignal, log: Logger): Promise<AttemptResult> {
    const { stage } = work;
    const { walk, failpoints } = this.parts;
    const node = walk.definition.node(stage.node)!;
    signal.throwIfAborted();
    if (work.result) return this.keepValues(work.result, signal, log);
    failpoints.reach('stage_start_appended', stage.id);
    this.stall.arm();
    log.debug({ attempt: stage.attempt, handler: node.kind }, 'A stage is executed.');
    const result = await withinLimit(node, signal, (limited) =>
      this.handle(node, work, limited).catch((thrown) => cutOff(thrown, limited, log)),
    );
    log.debug({ result: result.kind }, 'A stage was executed.');
    failpoints.reach('after_execute', stage.id);
    const means = { attemptId: stage.attemptId, sandbox: () => this.parts.workspace.open(), signal };
    const read = (values: Values): Promise<Values> => withListsRead(values, walk.definition.listKeys, means);
    const fitted = await this.fitted(result, read, signal, log);
    failpoints.reach('values_kept', stage.id);
    return fitted;
  }

  /** What the walk decided stands; a store that is away for a while is waited for. */
  private async keepValues(result: AttemptResult, signal: AbortSignal, log: Logger): Promise<AttemptResult> {
    for (;;) {
      const fitted = await this.fitted(result, async (values) => values, signal, log);
      if (fitted.kind === 'outcome' || !fitted.retryable || signal.aborted) return fitted;
      await sleep(KEEP_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * The result with lists read from their files and large values kept elsewhere. What cannot be read or kept is an error
   * of the attempt, which has cost the same.
   */
  private async fitted(
    result: AttemptResult,
    read: (values: Values) => Promise<Values>,
    signal: AbortSignal,
    log: Logger,
  ): Promise<AttemptResult> {
    if (result.kind === 'error' || !result.outcome.contextUpdates) return result;
    const { outcome, retryWanted: _, ...expense } = result;
    const { contextUpdates, kept = {} } = result.outcome;
    try {
      const written = await fitValues({ contextUpdates: await read(contextUpdates), kept }, this.parts.kept);
      return { ...result, outcome: { ...outcome, ...written } };
    } catch (thrown) {
      return { ...expense, ...cutOff(thrown, signal, log) };
    }
  }

  private async handle(node: Node, work: StageWork, signal: AbortSignal): Promise<AttemptResult> {
    const { walk, writer, workspace, kept, handlers, failpoints, show } = this.parts;
    const { stage, path, item, briefing } = work;
    const env = walk.definition.envOf(walk.state.cursors[path]?.workflow ?? '');
    const scope = { node_id: node.id, node_label: node.label, stage_id: stage.id };
    return handlers.execute({
      node,
      stage,
      ...(item && { item: { ...item, value: await putTogether(kept, `item ${item.label}`, item.value, item.mark) } }),
      ...(briefing && { briefing: await withValuesTold(briefing, kept) }),
      dryRun: walk.definition.dryRun,
      env,
      threads: this.threads,
      textOf: async (key, maxBytes) => {
        const cursor = walk.state.cursors[path];
        const entry = cursor && contextEntry(walk.definition, walk.state, cursor, key);
        return entry && textOf(kept, key, entry, maxBytes);
      },
      say: (event) => {
        if (!this.closed) writer.append(walk.note({ ...event, ...scope }, path).events);
      },
      show: (text, offset) => show(node, stage, text, offset),
      sandbox: () => {
        failpoints.reach('before_execute', stage.id);
        return workspace.open();
      },
      keep: (value) => kept.keep(value),
      alive: () => {
        failpoints.reach('executing', stage.id);
        this.stall.alive();
      },
      signal,
    });
  }
}

/** What an attempt reports that was cut off. Where a defect was thrown is in the log only; a stage that is stopped may throw anything. */
function cutOff(thrown: unknown, signal: AbortSignal, log: Logger): AttemptResult {
  if (isDefect(thrown) && !signal.aborted) log.error({ error: thrown }, 'A stage was cut off by a defect.');
  return erroredBy(thrown);
}

/** Ends an attempt that takes longer than its node allows; what the handler reports then does not count. */
async function withinLimit(
  node: Node,
  signal: AbortSignal,
  handle: (signal: AbortSignal) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const { timeoutMs } = node;
  if (timeoutMs === undefined || !isLimitedByWorker(node)) return handle(signal);
  const limit = new TimeLimit(timeoutMs);
  const result = await handle(AbortSignal.any([signal, limit.signal])).finally(() => limit.end());
  if (!limit.signal.aborted || signal.aborted) return result;
  const message = `handler timed out after ${timeoutMs}ms`;
  return { kind: 'error', failure: { message, category: 'transient_infra', system_actor: 'timeout' }, retryable: true };
}

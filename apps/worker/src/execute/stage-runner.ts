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
import { jsonBytes, TimeLimit } from '#libs/kernel';
import type { Logger } from '#libs/server-runtime';
import { AttemptMemory, type ValueMemory } from '../values/attempt-memory.js';
import { inputOf } from '../values/command-input.js';
import { ContextRoom } from '../values/context-room.js';
import type { Failpoints } from '../failpoints.js';
import { fitValues } from '../values/fit-values.js';
import type { KeptValues } from '../values/kept-values.js';
import { memoryOf, putTogether } from '../values/put-together.js';
import type { RunWorkspace } from '../workspace/run-workspace.js';
import type { RunWriter } from './run-writer.js';
import type { ShowText } from './show-text.js';
import type { RunPlaces } from './stage-places.js';
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
  /** Stages that may be at work. */
  places: RunPlaces;
  conversations: StageTask['threads'];
  /** For large values of all attempts of the worker. */
  memory: ValueMemory;
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

/** What an attempt works with beside its handler. */
interface Means {
  signal: AbortSignal;
  memory: AttemptMemory;
  /** Bound to the stage. */
  log: Logger;
}

type Item = NonNullable<StageWork['item']>;
type Values = Readonly<Record<string, Json>>;

/** How soon the object store is asked again to keep what must not be lost. */
const KEEP_AGAIN_MS = 1_000;

/** Executes the stages of one run in one epoch, and stops them all when the run is cancelled, lost or let go. */
export class StageRunner {
  private readonly underway = new Map<string, Execution>();
  private readonly stall: StallWatch;
  private readonly room: ContextRoom;
  private closed = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly calls: RunnerCalls,
  ) {
    const { stallTimeoutMs } = parts.walk.definition.index.graph.attributes;
    this.room = new ContextRoom(() => parts.walk.state);
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
    return this.inPlace(work, signal, log).catch((thrown: unknown) => cutOff(thrown, signal, log));
  }

  /** The attempt begins once the worker has a place for it; it holds large values only beside those of others. */
  private async inPlace(work: StageWork, signal: AbortSignal, log: Logger): Promise<AttemptResult> {
    const leave = await this.parts.places.take(signal);
    const memory = new AttemptMemory(this.parts.memory);
    try {
      return await this.attempt(work, { signal, memory, log });
    } finally {
      memory.free();
      leave();
    }
  }

  private async attempt(work: StageWork, means: Means): Promise<AttemptResult> {
    const { signal, log } = means;
    const { stage } = work;
    const { walk, failpoints } = this.parts;
    const node = walk.definition.node(stage.node)!;
    signal.throwIfAborted();
    if (work.result) return this.keepValues(work.result, means);
    failpoints.reach('stage_start_appended', stage.id);
    this.stall.arm();
    log.debug({ attempt: stage.attempt, handler: node.kind }, 'A stage is executed.');
    const result = await withinLimit(node, signal, (limited) =>
      this.handle(node, work, { ...means, signal: limited }).catch((thrown) => cutOff(thrown, limited, log)),
    );
    log.debug({ result: result.kind }, 'A stage was executed.');
    failpoints.reach('after_execute', stage.id);
    const files = {
      attemptId: stage.attemptId,
      sandbox: () => this.parts.workspace.open(),
      reserve: (bytes: number) => means.memory.reserveForLists(bytes, signal),
      signal,
    };
    const read = (values: Values): Promise<Values> => withListsRead(values, walk.definition.listKeys, files);
    const fitted = await this.fitted(result, read, means);
    failpoints.reach('values_kept', stage.id);
    return fitted;
  }

  /** What the walk decided stands; a store that is away for a while is waited for. */
  private async keepValues(result: AttemptResult, means: Means): Promise<AttemptResult> {
    const { memory, signal } = means;
    for (;;) {
      await memory.reserve(memoryOfResult(result), signal);
      const fitted = await this.fitted(result, async (values) => values, means);
      memory.free();
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
    { signal, log }: Means,
  ): Promise<AttemptResult> {
    if (result.kind === 'error' || !result.outcome.contextUpdates) return result;
    const { outcome, retryWanted: _, ...expense } = result;
    const { contextUpdates, kept = {} } = result.outcome;
    try {
      const values = { contextUpdates: await read(contextUpdates), kept };
      const written = await fitValues(values, this.parts.kept, this.room.forNextStage);
      this.room.took(jsonBytes(written.contextUpdates));
      return { ...result, outcome: { ...outcome, ...written } };
    } catch (thrown) {
      return { ...expense, ...cutOff(thrown, signal, log) };
    }
  }

  /** What a model is asked about, as one value. */
  private async wholeItem(item: Item, reserve: (bytes: number) => Promise<void>): Promise<Item> {
    const { value, mark, label } = item;
    const bytes = memoryOf(value, mark);
    if (bytes > 0) await reserve(bytes);
    return { ...item, value: await putTogether(this.parts.kept, `item ${label}`, value, mark) };
  }

  private async handle(node: Node, work: StageWork, { signal, memory }: Means): Promise<AttemptResult> {
    const { walk, writer, workspace, kept, handlers, failpoints, show, conversations } = this.parts;
    const { stage, path, item, briefing } = work;
    const env = walk.definition.envOf(walk.state.cursors[path]?.workflow ?? '');
    const scope = { node_id: node.id, node_label: node.label, stage_id: stage.id };
    const reserve = (bytes: number): Promise<void> => memory.reserve(bytes, signal);
    return handlers.execute({
      node,
      stage,
      ...(briefing && { briefing: await withValuesTold(briefing, kept) }),
      ...(briefing && item && { item: await this.wholeItem(item, reserve) }),
      dryRun: walk.definition.dryRun,
      env,
      threads: conversations,
      inputOf: async (key, maxBytes) => {
        const cursor = walk.state.cursors[path];
        const entry = cursor && contextEntry(walk.definition, walk.state, cursor, key);
        return entry && inputOf(kept, key, entry, maxBytes, { reserve, free: () => memory.free() });
      },
      reserve,
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

/** About what it takes to keep what the walk put together. */
function memoryOfResult(result: AttemptResult): number {
  if (result.kind === 'error') return 0;
  const { contextUpdates = {}, kept = {} } = result.outcome;
  return memoryOf(contextUpdates, kept);
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

import { contextValue, type AttemptResult, type HandlerTable, type StageWork, type Walk } from '#libs/engine';
import type { Failpoints } from './failpoints.js';
import type { KeptValues } from './kept-values.js';
import type { RunWorkspace } from './run-workspace.js';
import type { RunWriter } from './run-writer.js';
import { StallWatch } from './stall-watch.js';

interface RunnerParts {
  walk: Walk;
  writer: RunWriter;
  workspace: RunWorkspace;
  kept: KeptValues;
  handlers: HandlerTable;
  failpoints: Failpoints;
}

interface RunnerCalls {
  finished(stageId: string, result: AttemptResult): void;
  stalled(): void;
}

/** Executes the stages of one run in one epoch, and stops them all when the run is cancelled, lost or let go. */
export class StageRunner {
  private readonly abort = new AbortController();
  private readonly underway = new Map<string, Promise<void>>();
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

  /** Executes a stage once its start is durable, and tells what came of it. */
  launch(work: StageWork): void {
    const { id } = work.stage;
    const running = this.execute(work)
      .then((result) => this.calls.finished(id, result))
      // Only the append before it can fail: the writer has told that the lease is lost.
      .catch(() => undefined)
      .finally(() => {
        this.underway.delete(id);
        if (this.isIdle) this.stall.disarm();
      });
    this.underway.set(id, running);
  }

  /** Asks every effect to end, at once. */
  interrupt(): void {
    this.abort.abort();
  }

  /** Ends every effect and waits until nothing is at work any more. */
  async stop(): Promise<void> {
    this.interrupt();
    await Promise.all(this.underway.values());
  }

  /** As {@link stop}; from now on nothing that a handler still says is written. */
  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
    this.stall.disarm();
  }

  private async execute({ stage, lostAttemptId }: StageWork): Promise<AttemptResult> {
    const { walk, writer, workspace, kept, handlers, failpoints } = this.parts;
    const node = walk.definition.index.node(stage.node)!;
    const scope = { node_id: node.id, node_label: node.label, stage_id: stage.id };
    await writer.flushed();
    failpoints.reach('stage_start_appended', stage.id);
    this.stall.arm();
    const result = await handlers.execute({
      node,
      stage,
      ...(lostAttemptId !== undefined && { lostAttemptId }),
      dryRun: walk.definition.dryRun,
      lookup: (key) => kept.resolve(contextValue(walk.definition, walk.cursor, key)),
      say: (event) => {
        if (!this.closed) writer.append(walk.note({ ...event, ...scope }).events);
      },
      sandbox: () => {
        failpoints.reach('before_execute', stage.id);
        return workspace.open();
      },
      keep: (value) => kept.keep(value),
      alive: this.stall.alive,
      signal: this.abort.signal,
    });
    failpoints.reach('after_execute', stage.id);
    return result;
  }
}

import { InvariantError } from '#libs/kernel';
import type { HandlerKind, Node } from '#libs/language';
import { errored, type AttemptResult } from '../stage/outcome.js';
import { isDecidedByWalk, isHandled, refusalOf } from '../definition/node-kinds.js';
import type { AnyStageHandler, StageHandler, StageTask } from './stage-handler.js';

/** One handler for each kind that is executed. A kind with two stops the boot. */
export class HandlerTable {
  private readonly handlers = new Map<HandlerKind, StageHandler>();

  constructor(handlers: readonly AnyStageHandler[]) {
    for (const handler of handlers) {
      if (!isHandled(handler.kind) || this.handlers.has(handler.kind))
        throw new InvariantError(`Two handlers for nodes of kind "${handler.kind}".`);
      this.handlers.set(handler.kind, handler as StageHandler);
    }
  }

  /** Why a workflow with this node cannot be executed, as a sentence; undefined when it can. */
  objectionTo(node: Node): string | undefined {
    const isServed = isDecidedByWalk(node) || this.handlers.has(node.kind);
    return refusalOf(node) ?? (isServed ? undefined : unhandled(node));
  }

  /** Executes one attempt. Rejects with what its handler throws: {@link erroredBy} says what the attempt reports then. */
  async execute(task: StageTask): Promise<AttemptResult> {
    const { node } = task;
    const handler = this.handlers.get(node.kind);
    if (!handler) return refused(unhandled(node));
    const refusal = refusalOf(node);
    return refusal === undefined ? handler.execute(task) : refused(refusal);
  }
}

function unhandled({ id, kind }: Node): string {
  return `Node "${id}" is of kind "${kind}", for which this server has no handler.`;
}

function refused(message: string): AttemptResult {
  return errored({ message, category: 'structural' }, false);
}

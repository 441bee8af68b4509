import { InvariantError } from '#libs/kernel';
import type { HandlerKind, Node } from '#libs/language';
import { errored, type AttemptResult } from '../stage/outcome.js';
import type { AnyStageHandler, StageHandler, StageTask } from './stage-handler.js';

/** Kinds that the walk itself decides; no worker executes them. */
const DECIDED: readonly HandlerKind[] = [
  'start',
  'exit',
  'conditional',
  'wait',
  'human',
  'parallel',
  'stack.manager_loop',
];

/** One handler for each kind that is executed. A kind with two stops the boot. */
export class HandlerTable {
  private readonly handlers = new Map<HandlerKind, StageHandler>();

  constructor(handlers: readonly AnyStageHandler[]) {
    for (const handler of handlers) {
      if (DECIDED.includes(handler.kind) || this.handlers.has(handler.kind))
        throw new InvariantError(`Two handlers for nodes of kind "${handler.kind}".`);
      this.handlers.set(handler.kind, handler as StageHandler);
    }
  }

  /** Whether a workflow with this node can be executed. */
  supports(node: Node): boolean {
    if (node.kind === 'agent' && node.backend.type === 'acp') return false;
    const isDecided = DECIDED.includes(node.kind) || (node.kind === 'parallel.fan_in' && node.prompt === undefined);
    return isDecided || this.handlers.has(node.kind);
  }

  /** Executes one attempt. Rejects with what its handler throws: {@link erroredBy} says what the attempt reports then. */
  async execute(task: StageTask): Promise<AttemptResult> {
    const handler = this.handlers.get(task.node.kind);
    if (!handler) {
      const message = `This server has no handler for nodes of kind "${task.node.kind}".`;
      return errored({ message, category: 'structural' }, false);
    }
    return handler.execute(task);
  }
}

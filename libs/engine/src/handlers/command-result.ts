import type { ExecOutputTail } from '#libs/events';
import { assertNever, type Json } from '#libs/kernel';
import type { CommandNode } from '#libs/language';
import type { CommandEnd } from '../ports/sandbox.js';
import { failureClassOf } from '../stage/failure-class.js';
import { errored, failed, succeeded, type AttemptResult } from '../stage/outcome.js';
import type { Reading } from '../structured-output/reading.js';

/** A command that ended, and what became of its output. */
export interface FinishedCommand {
  node: CommandNode;
  end: Pick<CommandEnd, 'termination' | 'exitCode'>;
  /** The end of the output, as failures quote it. */
  tail: ExecOutputTail & { stdout: string };
  contextUpdates: Record<string, Json>;
  /** The output as `output_schema` has it read; absent when nothing is asked of it. */
  reading?: Reading;
}

/** What an attempt to run a command reports. */
export function commandResult({ node, end, tail, contextUpdates, reading }: FinishedCommand): AttemptResult {
  const exec_output_tail = tail;
  switch (end.termination) {
    case 'timed_out': {
      const message = withOutput(`Script timed out after ${node.timeoutMs}ms: ${firstLine(node.script)}`, tail);
      return errored({ message, category: 'transient_infra', system_actor: 'timeout', exec_output_tail }, true);
    }
    case 'cancelled':
      return errored({ message: 'The command was cancelled.', category: 'canceled', exec_output_tail }, false);
    case 'exited':
      break;
    default:
      return assertNever(end.termination);
  }
}

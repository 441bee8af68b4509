import type { ExecOutputTail } from '#libs/events';
import { assertNever, type Json } from '#libs/kernel';
import type { CommandNode } from '#libs/language';
import type { CommandEnd } from '../ports/sandbox.js';
import { failureClassOf } from '../stage/failure-class.js';
import { OUTPUT_HEADING } from '../stage/first-cause.js';
import { errored, failed, succeeded, type AttemptResult } from '../stage/outcome.js';
import type { Reading } from '../structured-output/reading.js';

/** A command that ended, and what became of its output. */
export interface FinishedCommand {
  node: CommandNode;
  end: Pick<CommandEnd, 'termination' | 'exitCode'>;
  /** The last part of the output, which failures quote. */
  tail: ExecOutputTail & { stdout: string };
  contextUpdates: Readonly<Record<string, Json>>;
  /** The output as the node's `output_schema` has it read; absent where nothing is asked of it. */
  reading?: Reading;
}

/** What a command reports by the way it ended. */
export function commandResult(command: FinishedCommand): AttemptResult {
  const { node, end, tail } = command;
  switch (end.termination) {
    case 'exited':
      return end.exitCode === 0 ? acceptedResult(command) : failedResult(command);
    case 'timed_out': {
      const message = `Script timed out after ${node.timeoutMs}ms: ${firstLine(node.script)}${quotation(tail)}`;
      const category = 'transient_infra';
      return errored({ message, category, system_actor: 'timeout', exec_output_tail: tail }, true);
    }
    case 'cancelled': {
      const message = 'The command was cancelled.';
      return errored({ message, category: 'canceled', exec_output_tail: tail }, false);
    }
    default:
      return assertNever(end.termination);
  }
}

function failedResult({ end, tail, contextUpdates }: FinishedCommand): AttemptResult {
  const message = `Script failed with exit code: ${end.exitCode ?? -1}${quotation(tail)}`;
  return failed({ message, category: failureClassOf(message), exec_output_tail: tail }, { contextUpdates });
}

/** A script that did its work still fails when its output is not what was asked for; trying again would not help. */
function acceptedResult({ node, tail, contextUpdates, reading }: FinishedCommand): AttemptResult {
  const notes = `Script completed: ${firstLine(node.script)}`;
  if (!reading) return succeeded({ notes, contextUpdates });
  if (!reading.ok) {
    const message = `output schema validation failed: ${reading.issues.join('; ')}`;
    return failed({ message, category: 'deterministic', exec_output_tail: tail }, { contextUpdates });
  }
  const { report } = reading;
  const all = { ...contextUpdates, ...report.contextUpdates };
  return { kind: 'outcome', outcome: { ...report, notes, contextUpdates: all } };
}

function quotation({ stdout }: { stdout: string }): string {
  return OUTPUT_HEADING + stdout;
}

/** The first line of a script, which stands for it in sentences. */
export function firstLine(script: string): string {
  const line = script.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}

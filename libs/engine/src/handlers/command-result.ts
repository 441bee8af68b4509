import type { ExecOutputTail, KeptMarks } from '#libs/events';
import { assertNever, type Json } from '#libs/kernel';
import type { CommandNode } from '#libs/language';
import type { CommandEnd } from '../ports/sandbox.js';
import { OUTPUT_HEADING } from '../stage/first-cause.js';
import { errored, failed, succeeded, type AttemptResult } from '../stage/outcome.js';
import type { Reading } from '../structured-output/reading.js';

/** `EX_TEMPFAIL`: by this exit code a command says that its failure may pass by itself. */
const EX_TEMPFAIL = 75;

const EXIT_CODES_ARE_FINAL = 'a script that exits with a code needs max_retries or retry_policy of its own';
const OUTPUT_STAYS = 'the script did its work, and its output is not what output_schema asks for';

/** What a command leaves in the context, and where in that references to kept values stand. */
interface Written {
  contextUpdates: Readonly<Record<string, Json>>;
  kept?: KeptMarks;
}

/** A command that ended, and what became of its output. */
export interface FinishedCommand extends Written {
  node: CommandNode;
  end: Pick<CommandEnd, 'termination' | 'exitCode'>;
  /** The last part of the output, which failures quote. */
  tail: ExecOutputTail & { stdout: string };
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

/** What a command prints says nothing about whether its failure will pass; who writes retries on its own node means it. */
function failedResult({ node, end, tail, contextUpdates, kept }: FinishedCommand): AttemptResult {
  const message = `Script failed with exit code: ${end.exitCode ?? -1}${quotation(tail)}`;
  const mayPass = end.exitCode === EX_TEMPFAIL;
  const category = mayPass ? 'transient_infra' : 'deterministic';
  const hasOwnRetries = node.maxRetries !== undefined || node.retryPolicy !== undefined;
  const again = mayPass || hasOwnRetries ? ({ retryWanted: true } as const) : { finalBecause: EXIT_CODES_ARE_FINAL };
  return failed({ message, category, exec_output_tail: tail }, { contextUpdates, ...(kept && { kept }) }, again);
}

/** A script that did its work still fails when its output is not what was asked for; trying again would not help. */
function acceptedResult({ node, tail, reading, contextUpdates, kept }: FinishedCommand): AttemptResult {
  const notes = `Script completed: ${firstLine(node.script)}`;
  const written = { contextUpdates, ...(kept && { kept }) };
  if (!reading) return succeeded({ notes, ...written });
  if (!reading.ok) {
    const message = `output schema validation failed: ${reading.issues.join('; ')}`;
    const failure = { message, category: 'deterministic', exec_output_tail: tail } as const;
    return failed(failure, written, { finalBecause: OUTPUT_STAYS });
  }
  const { report } = reading;
  return { kind: 'outcome', outcome: { ...report, notes, ...overwritten(written, report.contextUpdates ?? {}) } };
}

/** What a script wrote is no reference, under whatever key. */
function overwritten({ contextUpdates, kept }: Written, own: Written['contextUpdates']): Written {
  const left = Object.entries(kept ?? {}).filter(([key]) => !Object.hasOwn(own, key));
  return { contextUpdates: { ...contextUpdates, ...own }, ...(kept && { kept: Object.fromEntries(left) }) };
}

function quotation({ stdout }: { stdout: string }): string {
  return OUTPUT_HEADING + stdout;
}

/** The first line of a script, which stands for it in sentences. */
export function firstLine(script: string): string {
  const line = script.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}

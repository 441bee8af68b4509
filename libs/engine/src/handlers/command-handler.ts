import { ownTurn, type AttemptId } from '#libs/kernel';
import type { CommandNode } from '#libs/language';
import type { CommandEnd, CommandInput, CommandObserver, CommandOutput, Sandbox } from '../ports/sandbox.js';
import { failed, succeeded, type AttemptResult } from '../stage/outcome.js';
import { outputContract, type OutputContract } from '../structured-output/output-contract.js';
import { MAX_READ_BYTES } from '../structured-output/json-objects.js';
import { commandResult, firstLine } from './command-result.js';
import { StageHandler, type StageTask } from './stage-handler.js';

/** Output up to here stands in the event and in the context; what is larger is kept as an object. */
const INLINE_BYTES = 8 * 1024;
/** The part of a failed command's output that its failure message quotes. */
const QUOTED_BYTES = 4096;
/** Characters of a piece of output that are shown: more is read by nobody before the next piece comes. */
const SHOWN_AT_ONCE = 8 * 1024;
const MAX_STDIN_BYTES = 30 * 1024 * 1024;
/** Of an output a sandbox keeps no more. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The output itself, and once or twice with tokens masked. */
const COPIES_KEPT = 3;
/** What a byte of JSON takes as a value: of very small members, which it may consist of, many times its size. */
const BYTES_A_READ_BYTE = 16;

/**
 * Runs a script in the sandbox. Exit 0 succeeds, if the output is what `output_schema` asks for; anything else is a
 * failure. A time limit is an error and may be tried again.
 */
export class CommandHandler extends StageHandler<'command'> {
  readonly kind = 'command';

  async execute(task: StageTask<'command'>): Promise<AttemptResult> {
    const { node } = task;
    if (task.dryRun) {
      const notes = `[Simulated] Command skipped: ${firstLine(node.script)}`;
      return succeeded({ notes, contextUpdates: { 'command.output': '' } });
    }
    const contract = node.outputSchema === undefined ? undefined : outputContract(node.outputSchema, node.id);
    // Before anything is waited for: another branch that starts over sweeps away what nobody has asked for.
    const left = task.stage.lostAttemptIds.length > 0 ? await this.goOn(task, await task.sandbox()) : undefined;
    if (left) return this.report(task, left, contract);

    const stdin = node.stdinSource === undefined ? undefined : await this.readInput(task, node.stdinSource);
    if (typeof stdin === 'object') return stdin;
    return this.report(task, await this.start(task, await task.sandbox(), stdin), contract);
  }

  /**
   * What a lost worker began is taken over where that is possible, so that its effects happen once, however many workers
   * were lost since. What one of them stopped it stopped because it had to leave: that is not how the command ended, and
   * it starts again.
   */
  private async goOn(task: StageTask<'command'>, sandbox: Sandbox): Promise<CommandEnd | undefined> {
    const { lostAttemptIds } = task.stage;
    const end = await sandbox.adopt(lostAttemptIds as AttemptId[], observerOf(task));
    if (end && (end.termination !== 'cancelled' || task.signal.aborted)) return end;
    await sandbox.sweep();
    return undefined;
  }

  private async start(task: StageTask<'command'>, sandbox: Sandbox, stdin?: CommandInput): Promise<CommandEnd> {
    const { node, stage } = task;
    task.say({
      event: 'command.started',
      properties: {
        script: node.script,
        command: interpreterOf(node),
        language: node.language,
        timeout_ms: node.timeoutMs,
      },
    });
    return sandbox.run(
      {
        attemptId: stage.attemptId as AttemptId,
        script: node.script,
        language: node.language,
        timeoutMs: node.timeoutMs,
        ...(task.env && { env: task.env }),
        ...(stdin && { stdin }),
      },
      observerOf(task),
    );
  }

  private async report(
    task: StageTask<'command'>,
    end: CommandEnd,
    contract: OutputContract | undefined,
  ): Promise<AttemptResult> {
    const { termination, exitCode, durationMs, output } = end;
    const shown = await output.tail(INLINE_BYTES);
    task.say({
      event: 'command.completed',
      properties: {
        output: shown,
        ...(exitCode !== undefined && { exit_code: exitCode }),
        duration_ms: durationMs,
        termination,
        output_bytes: output.bytes,
        live_streaming: true,
      },
    });
    const isLarge = output.bytes > INLINE_BYTES;
    if (isLarge) await task.reserve(memoryOf(output, contract));
    const kept = isLarge ? await keepOutput(task, output) : undefined;
    if (isLarge && contract) await ownTurn();
    const reading = exitCode === 0 ? contract?.read(isLarge ? await output.tail(MAX_READ_BYTES) : shown) : undefined;
    const result = commandResult({
      node: task.node,
      end,
      tail: {
        stdout: await output.tail(QUOTED_BYTES),
        stdout_truncated: output.bytes > QUOTED_BYTES,
        stderr_truncated: false,
      },
      contextUpdates: { 'command.output': kept?.reference ?? shown },
      ...(kept && { kept: { 'command.output': kept.bytes } }),
      ...(reading && { reading }),
    });
    return { ...result, toolTimeMs: durationMs };
  }

  private async readInput(task: StageTask<'command'>, source: string): Promise<CommandInput | AttemptResult> {
    const input = await task.inputOf(source, MAX_STDIN_BYTES);
    if (input) return input;
    return failed({ message: `stdin_source "${source}" is not in the context.`, category: 'deterministic' });
  }
}

/** The whole output is held here and nowhere else: what reads it reads the end. */
async function keepOutput(
  task: StageTask<'command'>,
  output: CommandOutput,
): Promise<{ reference: string; bytes: number }> {
  const whole = await output.read();
  return { reference: await task.keep(whole), bytes: whole.byteLength };
}

/** About what it takes to keep an output and to read what it says. */
function memoryOf({ bytes }: CommandOutput, contract: OutputContract | undefined): number {
  const toKeep = COPIES_KEPT * Math.min(bytes, MAX_OUTPUT_BYTES);
  return contract ? Math.max(toKeep, BYTES_A_READ_BYTE * Math.min(bytes, MAX_READ_BYTES)) : toKeep;
}

/** Output keeps the stage alive and is shown as it comes; of a burst only the end is. */
function observerOf({ signal, alive, show }: StageTask<'command'>): CommandObserver {
  let written = 0;
  const onOutput = (text: string): void => {
    alive();
    written += text.length;
    const shown = text.slice(-SHOWN_AT_ONCE);
    show(shown, written - shown.length);
  };
  return { signal, onOutput };
}

function interpreterOf({ language }: CommandNode): string {
  return language === 'python' ? 'python3 -c' : 'bash -c';
}

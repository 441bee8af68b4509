import type { AttemptId } from '#libs/kernel';
import type { CommandEnd, SandboxCommand } from '../ports/sandbox.js';
import { REMEMBERED_EPOCHS } from '../recovery/standing.js';
import { HOOK_TIMEOUT_MS, type HookCall, type HookReport } from './hook-call.js';
import type { Hook } from '../definition/hook-list.js';
import { PROCEED, type HookReply } from './hook-decision.js';
import { readDecision } from './read-decision.js';

const READ_BYTES = 64 * 1024;
const SHOWN_BYTES = 4 * 1024;
/** An exit code that means no, for scripts that write no JSON. */
const EXIT_NO = 2;

/** Puts the payload into a file and on standard input of the hook, and takes the file away afterwards. */
const WRAPPER = `RUNYARD_HOOK_CONTEXT="$(mktemp)" || exit 1
export RUNYARD_HOOK_CONTEXT
trap 'rm -f "$RUNYARD_HOOK_CONTEXT"' EXIT
cat > "$RUNYARD_HOOK_CONTEXT"
sh -c "$RUNYARD_HOOK_SCRIPT" < "$RUNYARD_HOOK_CONTEXT"`;

/**
 * Runs a hook's command in the sandbox. Exit 0 proceeds unless it wrote a decision, exit 2 blocks unless it did, any
 * other end blocks. A call that an earlier epoch began is gone on with, not made again.
 */
export async function askCommand(hook: Hook, call: HookCall): Promise<HookReport> {
  const sandbox = await call.sandbox();
  const observer = { signal: call.signal };
  const adopted = call.epoch > 1 ? await sandbox.adopt(earlierAttempts(call), observer) : undefined;
  const isDone = adopted && (adopted.termination !== 'cancelled' || call.signal.aborted);
  return reportOf(isDone ? adopted : await sandbox.run(commandOf(hook, call), observer));
}

/** The names of this call under the epochs before, the newest first: a run does not park while a hook is asked. */
function earlierAttempts({ id, epoch }: HookCall): AttemptId[] {
  const count = Math.min(epoch - 1, REMEMBERED_EPOCHS);
  return Array.from({ length: count }, (_, back) => attemptOf(id, epoch - 1 - back));
}

function commandOf({ command, timeout_ms }: Hook, { id, epoch, payload }: HookCall): SandboxCommand {
  const { event, run_id, workflow_name, node_id } = payload;
  return {
    attemptId: attemptOf(id, epoch),
    script: WRAPPER,
    language: 'shell',
    stdin: JSON.stringify(payload),
    timeoutMs: timeout_ms ?? HOOK_TIMEOUT_MS,
    env: {
      RUNYARD_HOOK_SCRIPT: command ?? '',
      RUNYARD_EVENT: event,
      RUNYARD_RUN_ID: run_id,
      RUNYARD_WORKFLOW: workflow_name,
      ...(node_id !== undefined && { RUNYARD_NODE_ID: node_id }),
    },
  };
}

/** In one epoch a call is made once. */
function attemptOf(id: string, epoch: number): AttemptId {
  return `${id}/${epoch}` as AttemptId;
}

async function reportOf({ termination, exitCode, durationMs, output }: CommandEnd): Promise<HookReport> {
  const stdout = await output.tail(SHOWN_BYTES);
  const wrote = { output: { stdout, stdout_truncated: output.bytes > SHOWN_BYTES, stderr_truncated: false } };
  if (termination === 'timed_out') return { ...wrote, ...blocking(`hook was stopped after ${durationMs} ms`) };
  if (exitCode === undefined) return { ...wrote, ...blocking('hook was stopped') };
  if (exitCode !== 0 && exitCode !== EXIT_NO) {
    return { ...wrote, exitCode, ...blocking(`hook exited with code ${exitCode}`) };
  }
  const said = readDecision(await output.tail(READ_BYTES));
  return {
    ...wrote,
    exitCode,
    decision: said ?? (exitCode === 0 ? PROCEED : block(`hook exited with code ${EXIT_NO}`)),
  };
}

function blocking(fault: string): Pick<HookReport, 'decision' | 'fault'> {
  return { decision: block(fault), fault };
}

function block(reason: string): HookReply {
  return { decision: 'block', reason };
}

import { isNativeError } from 'node:util/types';
import { CommanderError } from 'commander';
import { RunyardApiError, ServerAwayError } from '#libs/api-client';
import { ConfigError } from '#libs/config';
import { messageOf } from '#libs/kernel';
import { fileProblem } from './file-problem.js';
import { exitCodeOfRefusal, exitCodes, type ExitCode } from './exit-code.js';

/** Why a command could not do its work, in words for the person who typed it. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    /** What to do about it. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

export interface Fault {
  exitCode: ExitCode;
  /** Empty when everything was said already. */
  message: string;
  hint?: string;
}

const SIGN_IN = 'Save a token with: runyard auth login --server <address> --token-stdin';
const UNARCHIVE = 'Take it out of the archive with: runyard unarchive <run>';
const START = 'Start one with "runyard server start", or name another with --server.';

/** What to print, and with which code to end, for anything a command threw. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof CliError) {
    const { exitCode, message, hint } = thrown;
    return { exitCode, message, ...(hint !== undefined && { hint }) };
  }
  if (thrown instanceof CommanderError) {
    return { exitCode: thrown.exitCode === 0 ? exitCodes.done : exitCodes.misuse, message: '' };
  }
  if (thrown instanceof RunyardApiError) return apiFault(thrown);
  if (thrown instanceof ServerAwayError) return awayFault(thrown);
  if (thrown instanceof ConfigError) return { exitCode: exitCodes.misuse, message: thrown.message };
  const problem = fileProblem(thrown);
  if (problem !== undefined) return { exitCode: exitCodes.misuse, message: `${pathOf(thrown)} ${problem}.` };
  const cause = connectionFault(thrown);
  if (cause !== undefined) {
    return { exitCode: exitCodes.unreachable, message: `The server cannot be reached: ${cause}`, hint: START };
  }
  return { exitCode: exitCodes.failed, message: messageOf(thrown) };
}

/** The run may go on at a server that is only out of reach, or goes on when its server is back. */
function awayFault({ message, runId }: ServerAwayError): Fault {
  return {
    exitCode: exitCodes.unreachable,
    message: `${message} The run is not followed any longer; it goes on when its server does.`,
    hint: `→ runyard attach ${runId}`,
  };
}

/** What a sentence about a request begins with where a flag was typed. */
const REQUESTED = /^(?:args|edits)\.(environment|model|provider|label|inputs?|goal|workflow_source)\b/gm;
const FLAGS: Readonly<Record<string, string>> = { inputs: '--input', workflow_source: '--with-source' };

/** A refusal says itself what to do; the number of the request is for those who look after the server. */
function apiFault({ status, detail, code, requestId }: RunyardApiError): Fault {
  const typed = detail.replace(REQUESTED, (_, name: string) => FLAGS[name] ?? `--${name}`);
  const message = requestId === undefined || status < 500 ? typed : `${typed}\n(request ${requestId})`;
  const hint = code === 'run_archived' ? UNARCHIVE : status === 401 ? SIGN_IN : undefined;
  return { exitCode: exitCodeOfRefusal(status, code), message, ...(hint !== undefined && { hint }) };
}

/** A system names the file it speaks of, but for one that was opened already. */
function pathOf(thrown: unknown): string {
  return isNativeError(thrown) && 'path' in thrown ? String(thrown.path) : 'A file that was named';
}

/** Why no connection came about, when that is what happened: fetch hides it in a cause. */
function connectionFault(thrown: unknown): string | undefined {
  if (!isNativeError(thrown) || thrown.name !== 'TypeError' || !isNativeError(thrown.cause)) return undefined;
  const { cause } = thrown;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

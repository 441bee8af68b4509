import type { ExecOutputTail } from '#libs/events';
import type { HttpCaller } from '../ports/http-caller.js';
import type { Sandbox } from '../ports/sandbox.js';
import type { HookPayload } from './payload.js';
import type { HookReply } from './hook-decision.js';

/** One hook asked about one moment. */
export interface HookCall {
  /**
   * Names this call for as long as the run lives. Asked again after a crash it has the same name, so a receiver that
   * remembers names does its work once.
   */
  id: string;
  /** The epoch of the lease under which it is asked. */
  epoch: number;
  payload: HookPayload;
  /** The run's sandbox, opened when it is first asked for. */
  sandbox(): Promise<Sandbox>;
  http: HttpCaller;
  /** Raised when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** What became of a call. With a `fault` the hook itself did not work, and the decision is what stands for that. */
export interface HookReport {
  decision: HookReply;
  fault?: string;
  exitCode?: number;
  /** The last of what its command wrote. */
  output?: ExecOutputTail;
}

export const HOOK_TIMEOUT_MS = 60_000;

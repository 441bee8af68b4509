import { type RunId } from '#libs/kernel';
import { type Caller } from '../../edge/auth/caller.js';
import { type EventEnvelope } from '../run-events/dto/event-envelope.js';
import { type RunBilling } from './dto/run-billing.js';
import { type DeleteRunResponse, type RetryEdits } from './dto/run-commands.js';
import { type RunManifestRequest } from '../manifests/dto/run-manifest.js';
import {
  type GraphDirection,
  type ListEventsQuery,
  type ListRunsQuery,
  type PageQuery,
  type SelectorMatch,
} from './dto/run-queries.js';
import { type RunResponse } from './dto/run-response.js';
import { type RunStageResponse } from './dto/run-stage-response.js';
import { type WorkflowSettings } from '../manifests/dto/settings/workflow-settings.js';

/** One page of a list and what lies beyond it. */
export interface Page<T> {
  data: T[];
  meta: { has_more: boolean; total: number };
}

/** A page of a list that is too long to be counted, or to be paged by offset. */
export interface RunPage {
  data: RunResponse[];
  meta: { has_more: boolean; total: number; total_is_lower_bound?: boolean; next_cursor?: string };
}

export function pageOfList<T>(data: T[], total: number, offset: number): Page<T> {
  return { data, meta: { has_more: offset + data.length < total, total } };
}

/** Brings runs into being. */
export abstract class RunSubmission {
  /**
   * Stores a run in status `submitted`; nothing is executed. With an idempotency key, the same manifest again returns
   * the same run and another manifest is a `conflict`.
   *
   * The manifest's shape is already checked. Errors: `invalid` for a workflow that does not compile, an unknown
   * environment or model; `missing` for an unknown parent; `conflict` for a run id that is taken.
   */
  abstract submit(manifest: RunManifestRequest, caller: Caller, idempotencyKey?: string): Promise<RunResponse>;

  /**
   * Stores and starts a new run of the same definition, with the title and the parent that the run has now; the run stays
   * as it is. `missing` for an unknown run, `conflict` for one that is not over or is archived. With an idempotency key,
   * the same request again returns the same run, whatever became of the source; another request is a `conflict`, and one
   * that was refused leaves no key.
   */
  abstract retry(
    caller: Caller,
    runId: RunId,
    edits: RetryEdits | undefined,
    idempotencyKey?: string,
  ): Promise<RunResponse>;
}

/** What became of a run that was to be removed; an error where it stayed. */
export type Removal = 'deleted' | 'already_absent' | Error;

/** Changes the course of a run. A run of another tenant is `missing`, an archived one is a `conflict`. */
export abstract class RunControl {
  /**
   * Makes a submitted run runnable; with `resume`, a failed or interrupted run, or a fork, goes on from its last
   * checkpoint. `conflict` in every other status, without a checkpoint, or while an engine works on it.
   */
  abstract start(caller: Caller, runId: RunId, options: { resume: boolean }): Promise<RunResponse>;

  /**
   * Lets a run that waits for consent be executed. `forbidden` to all but people; `conflict` in every other status, also
   * for the slower of two decisions.
   */
  abstract approve(caller: Caller, runId: RunId): Promise<RunResponse>;

  /** Ends a run that waits for consent, with the reason if one is given. As {@link approve}. */
  abstract deny(caller: Caller, runId: RunId, reason: string | undefined): Promise<RunResponse>;

  /** Ends a waiting run at once, asks a live one to end. Asking twice is accepted; a finished run is a `conflict`. */
  abstract cancel(caller: Caller, runId: RunId): Promise<RunResponse>;

  /**
   * Asks a run to rest at its next safe point: what is at work is finished first. A run that waits for people rests at
   * once. `conflict` in every other status, and while another request is pending.
   */
  abstract pause(caller: Caller, runId: RunId): Promise<RunResponse>;

  /** Lets a paused run go on. `conflict` in every other status. */
  abstract unpause(caller: Caller, runId: RunId): Promise<RunResponse>;

  /**
   * Removes a run with its log and sandbox. An unknown run is success. Returns what was left behind when the sandbox
   * is to be kept. `conflict` for an active run without `force`, or when the sandbox cannot be removed.
   */
  abstract remove(caller: Caller, runId: RunId, options: { force: boolean }): Promise<DeleteRunResponse | undefined>;

  /** Removes different runs, each as if it were the only one. Results in their order. */
  abstract removeAll(caller: Caller, runIds: readonly RunId[], options: { force: boolean }): Promise<Removal[]>;
}

/** Reads runs. Every method throws a `missing` error for a run that the caller's tenant does not have. */
export abstract class RunQueries {
  abstract get(caller: Caller, runId: RunId): Promise<RunResponse>;
  /** `invalid` for a cursor that is none of this list. */
  abstract list(caller: Caller, query: ListRunsQuery): Promise<RunPage>;
  /**
   * The run whose id begins with the selector, else the newest of a workflow that the selector names. `invalid` when
   * several ids begin so, or several workflows may be meant where only one may; it names them.
   */
  abstract resolve(caller: Caller, selector: string, match: SelectorMatch): Promise<RunResponse>;
  /** In the order of their first event. */
  abstract stages(caller: Caller, runId: RunId, page: PageQuery): Promise<Page<RunStageResponse>>;
  /**
   * From `since_seq` (1 when absent) upwards, or from below `before_seq` (the newest when absent) downwards. Checkpoints are
   * whole, of a run that outlived its definition as they are stored; a page may end before its limit, but has an event.
   */
  abstract events(
    caller: Caller,
    runId: RunId,
    query: ListEventsQuery,
  ): Promise<{ data: EventEnvelope[]; meta: { has_more: boolean } }>;
  abstract settings(caller: Caller, runId: RunId): Promise<WorkflowSettings>;
  abstract billing(caller: Caller, runId: RunId): Promise<RunBilling>;
  /** The workflow's source as it was submitted. */
  abstract graphSource(caller: Caller, runId: RunId): Promise<string>;
  /** A drawing that is safe to show in a page: no script, no outside reference. */
  abstract graphSvg(caller: Caller, runId: RunId, direction?: GraphDirection): Promise<string>;
}

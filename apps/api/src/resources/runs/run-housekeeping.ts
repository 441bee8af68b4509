import { type RunId, type RunyardError } from '#libs/kernel';
import { type Caller } from '../../edge/auth/caller.js';
import { type RunResponse } from './dto/run-response.js';

export type ArchiveOutcome = 'archived' | 'already_archived' | 'unarchived' | 'not_archived';

/** What became of one run of several: how it stands now, or why it stayed as it was. */
export type ArchiveResult = { outcome: ArchiveOutcome; run: RunResponse } | { error: RunyardError };

/**
 * What people note about runs: nothing of it changes their course. A run of another tenant is `missing`. Every method is
 * harmless to repeat.
 */
export abstract class RunHousekeeping {
  /** Gives a run another title, whatever its status and also while it is archived. */
  abstract rename(caller: Caller, runId: RunId, title: string): Promise<RunResponse>;

  /** Makes a run read-only and takes it out of sight. A run that is not over is a `conflict`. */
  abstract archive(caller: Caller, runId: RunId): Promise<RunResponse>;

  /** Takes the mark away again. A run that is not over has none and cannot have one: a `conflict`. */
  abstract unarchive(caller: Caller, runId: RunId): Promise<RunResponse>;

  /** Archives different runs, each as if it were the only one. Results in their order. */
  abstract archiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]>;

  /** Unarchives different runs, each as if it were the only one. Results in their order. */
  abstract unarchiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]>;

  /**
   * Makes a run the child of another one, or with null of none, whatever their status. `missing` for an unknown parent
   * too; `invalid` for the run itself and for its descendants.
   */
  abstract link(caller: Caller, runId: RunId, parentId: RunId | null): Promise<RunResponse>;
}

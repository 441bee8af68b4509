import { Inject, Injectable } from '@nestjs/common';
import { type RunId } from '#libs/kernel';
import { RunIdPipe } from '../http/run-id.pipe.js';
import { type Caller } from './caller.js';
import { NotForRunsError } from './errors.js';
import { RunLines } from './run-lines.js';

/**
 * Which runs an operation is for, when a run asks for it: its `children` (the use case makes or looks for no others), the
 * run that the path names if it `descends` from it, or that one or itself (`line`).
 */
type Reach = 'children' | 'descends' | 'line';

/** What a run may do that speaks for itself; everything else stays with people. */
const OPEN_TO_RUNS: Readonly<Record<string, Reach>> = {
  createRun: 'children',
  listRuns: 'children',
  resolveRun: 'children',
  retrieveRun: 'line',
  getRunState: 'line',
  listRunEvents: 'line',
  listRunQuestions: 'line',
  startRun: 'descends',
  cancelRun: 'descends',
  archiveRun: 'descends',
  unarchiveRun: 'descends',
};

/** The run that a caller speaks for; undefined for everybody else. */
export function runOf({ principal }: Caller): RunId | undefined {
  return principal.kind === 'worker' ? (principal.run_id as RunId) : undefined;
}

/** Keeps the token of a run with that run and its descendants, whatever the role it has. */
@Injectable()
export class RunTokens {
  private readonly ids = new RunIdPipe();

  constructor(@Inject(RunLines) private readonly lines: RunLines) {}

  /**
   * Throws a `forbidden` error unless a run may do this with the run that the path names. Whether there is such a run it
   * does not say.
   */
  async admit(caller: Caller, own: RunId, operation: string, { id }: { id?: string }): Promise<void> {
    const reach = Object.hasOwn(OPEN_TO_RUNS, operation) ? OPEN_TO_RUNS[operation] : undefined;
    if (reach === undefined) throw new NotForRunsError();
    if (reach === 'children') return;
    const runId = this.ids.transform(id ?? '');
    const isWithin =
      runId === own ? reach === 'line' : await this.lines.descends({ tenantId: caller.tenantId, runId }, own);
    if (!isWithin) throw new NotForRunsError();
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { type RunId } from '#libs/kernel';
import { RunIdPipe } from '../http/run-id.pipe.js';
import type { RunTokenReach } from '../operations/operation.js';
import { type Caller } from './caller.js';
import { NotForRunsError } from './errors.js';
import { RunLines } from './run-lines.js';

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
   * Throws a `forbidden` error unless an operation of this reach is for a run with the run that the path names. Whether
   * there is such a run it does not say.
   */
  async admit(caller: Caller, own: RunId, reach: RunTokenReach | undefined, { id }: { id?: string }): Promise<void> {
    if (reach === undefined) throw new NotForRunsError();
    if (reach === 'children') return;
    const runId = this.ids.transform(id ?? '');
    const isWithin =
      runId === own ? reach === 'line' : await this.lines.descends({ tenantId: caller.tenantId, runId }, own);
    if (!isWithin) throw new NotForRunsError();
  }
}

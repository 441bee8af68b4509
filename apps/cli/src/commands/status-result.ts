import type { components } from '#libs/api-client';
import type { Session } from '../session.js';
import { statusText } from '../runs/run-table.js';

/** The result of a command that asked something of a run: where the run stands now. */
export function statusResult({ screen, json }: Session, run: components['schemas']['Run']): void {
  if (json) screen.json(run);
  else screen.result(`${run.id}  ${statusText(run.lifecycle)}`);
}

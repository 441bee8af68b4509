import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type components, RunyardApiError, type RunyardClient, unwrap } from '#libs/api-client';
import { messageOf } from '#libs/kernel';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { fileProblem } from '../server/file-problem.js';
import { AUTO_APPROVE, type TypedInput, withInputs } from './run-options.js';

type Edits = components['schemas']['ForkEdits'];
export type Fork = components['schemas']['ForkResponse'];

/** The flags of a command that makes a run from another one, with changes. */
export interface ForkOptions {
  input: TypedInput[];
  goal?: string;
  model?: string;
  autoApprove?: boolean;
  withSource?: string;
}

/** The flag of a command that makes a run from another one, and may be typed again after a lost answer. */
export interface KeyOption {
  idempotencyKey?: string;
}

export function withKeyOption(command: Command): Command {
  return command.option(
    '--idempotency-key <key>',
    'the same key and request make one run, however often they are sent',
  );
}

export function keyHeader({ idempotencyKey: key }: KeyOption): { 'Idempotency-Key'?: string } {
  return key === undefined ? {} : { 'Idempotency-Key': key };
}

/** What every command says that takes a checkpoint. */
export const TARGET = 'node (its latest visit), node@visit or @ordinal';

export function withForkOptions(command: Command): Command {
  return withInputs(command.option('--goal <text>', 'what the new run is for'))
    .option('--model <name>', 'the model that its stages use')
    .option(...AUTO_APPROVE)
    .option('--with-source <file>', 'its workflow, corrected');
}

/** A run, not started, that goes on from a checkpoint of another one; the latest when no target is named. */
export async function forkRun(
  client: RunyardClient,
  id: string,
  target: string | undefined,
  edits: Edits,
  { withSource, ...key }: KeyOption & Pick<ForkOptions, 'withSource'> = {},
): Promise<Fork> {
  const body = { ...(target !== undefined && { target }), ...(Object.keys(edits).length > 0 && { edits }) };
  const params = { path: { id }, header: keyHeader(key) };
  try {
    return await unwrap(client.api.POST('/api/v1/runs/{id}/fork', { params, body }));
  } catch (thrown) {
    const isOfSource = withSource !== undefined && thrown instanceof RunyardApiError && thrown.status === 400;
    throw isOfSource ? await sourceFault(client, id, withSource, thrown) : thrown;
  }
}

/** `flows/ship.dot:7:18 error …`: where the server found an error in a workflow. */
const PLACE = /^(\S+)(?=:\d+:\d+ error )/gm;

/** The server knows the corrected workflow by the path of the one that it replaces; a person knows the file they typed. */
async function sourceFault(client: RunyardClient, id: string, file: string, refusal: RunyardApiError): Promise<Error> {
  if (!refusal.detail.match(PLACE)) return refusal;
  const { workflow } = await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
  const message = refusal.detail.replace(PLACE, (place) => (slugOf(place) === workflow.slug ? file : place));
  return new CliError(message, exitCodes.failed);
}

/** `ship` of `flows/ship.dot` and of `ship/workflow.dot`. */
function slugOf(place: string): string {
  const { dir, name } = path.posix.parse(place);
  return name === 'workflow' && dir !== '' ? path.posix.basename(dir) : name;
}

/** The changes as the server takes them; a file is read, seen from a folder. */
export async function editsOf(
  { goal, model, input, autoApprove, withSource }: ForkOptions,
  cwd: string,
): Promise<Edits> {
  return {
    ...(goal !== undefined && { goal }),
    ...(model !== undefined && { model }),
    ...(autoApprove && { auto_approve: autoApprove }),
    ...(input.length > 0 && { inputs: Object.fromEntries(input.map(textOf)) }),
    ...(withSource !== undefined && { workflow_source: await sourceIn(path.resolve(cwd, withSource)) }),
  };
}

function textOf({ key, entry }: TypedInput): [string, string] {
  return [key, entry.slice(entry.indexOf('=') + 1).trim()];
}

async function sourceIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new CliError(`${file} ${fileProblem(thrown) ?? `cannot be read: ${messageOf(thrown)}`}.`, exitCodes.misuse);
  }
}

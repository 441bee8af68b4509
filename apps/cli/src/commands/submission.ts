import { type Command, InvalidArgumentError } from 'commander';
import path from 'node:path';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { isError } from '#libs/language';
import { buildManifest, type RunManifest, type RunRequest, sourceOf } from '../manifest/build-manifest.js';
import { checkBundled, diagnosticText } from '../manifest/check-workflow.js';
import { gitIn } from '../manifest/git-context.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { firstLine } from '../terminal/format.js';

type Run = components['schemas']['Run'];

/** The flags that say what run to create. */
export interface SubmissionOptions {
  goal?: string;
  goalFile?: string;
  input: string[];
  label: string[];
  model?: string;
  provider?: string;
  environment?: string;
  autoApprove?: boolean;
  dryRun?: boolean;
  preserveSandbox?: boolean;
  verbose?: boolean;
  title?: string;
  runId?: string;
  parent?: string;
  idempotencyKey?: string;
}

export function withSubmissionOptions(command: Command): Command {
  return command
    .option('--goal <text>', "what the run is for; replaces the workflow's goal")
    .option('--goal-file <file>', 'the same, read from a file')
    .option('-I, --input <KEY=VALUE>', 'an input of the workflow; may be repeated', pairs, [])
    .option('--label <KEY=VALUE>', 'a label of the run; may be repeated', pairs, [])
    .option('--model <name>', 'the model that stages use')
    .option('--provider <name>', "the model's provider")
    .option('--environment <slug>', 'where stages are executed')
    .option('--auto-approve', 'answer every question with its first positive option')
    .option('--dry-run', 'walk the graph without executing anything')
    .option('--preserve-sandbox', 'keep the sandbox when the run is over')
    .option('--title <text>', 'a name for the run')
    .option('--run-id <ulid>', 'the id of the run, instead of a fresh one')
    .option('--parent <run>', 'the run that orchestrates this one')
    .option('--idempotency-key <key>', 'the same key and workflow make one run, however often they are sent')
    .option('-v, --verbose', 'show every event');
}

function pairs(text: string, before: string[]): string[] {
  if (text.indexOf('=') > 0) return [...before, text];
  throw new InvalidArgumentError('Give it as KEY=VALUE.');
}

/** Checks the workflow here, then creates its run there. Nothing is sent when the workflow cannot run. */
export async function submit(session: Session, workflow: string, options: SubmissionOptions): Promise<Run> {
  const { cwd } = session.surroundings;
  if (options.goal !== undefined && options.goalFile !== undefined) {
    throw new CliError('Give either --goal or --goal-file.', exitCodes.misuse);
  }
  const source = await sourceOf(path.resolve(cwd, workflow), workflow);
  const manifest = await buildManifest(requestOf(workflow, options), cwd, gitIn(cwd));
  check(session, source, manifest);
  return create(await session.client(), manifest, options.idempotencyKey);
}

/** Says what was found, hints in one line each; throws when the workflow cannot run. */
function check({ screen }: Session, source: string, { goal, target }: RunManifest): void {
  const { diagnostics, exitCode } = checkBundled(source, goal?.text);
  for (const diagnostic of diagnostics) {
    const text = diagnosticText(target.identifier, source, diagnostic);
    screen.hint(diagnostic.severity === 'info' ? screen.paint.dim(firstLine(text, Infinity)) : text);
  }
  const errors = diagnostics.filter(isError).length;
  if (errors > 0) throw new CliError(`${target.identifier} cannot run: ${counted(errors, 'error')}.`, exitCode);
}

function create(client: RunyardClient, body: RunManifest, key: string | undefined): Promise<Run> {
  const header = key === undefined ? {} : { 'Idempotency-Key': key };
  return unwrap(client.api.POST('/api/v1/runs', { body, params: { header } }));
}

/** Makes a created run eligible to execute. */
export function startRun(client: RunyardClient, id: string): Promise<Run> {
  return unwrap(client.api.POST('/api/v1/runs/{id}/start', { params: { path: { id } } }));
}

function requestOf(workflow: string, options: SubmissionOptions): RunRequest {
  const { goal, goalFile, title, runId, parent, model, provider, environment } = options;
  const { verbose, dryRun, autoApprove, preserveSandbox, label, input } = options;
  return {
    workflow,
    ...(goal !== undefined && { goal }),
    ...(goalFile !== undefined && { goalFile }),
    ...(title !== undefined && { title }),
    ...(runId !== undefined && { runId }),
    ...(parent !== undefined && { parent }),
    args: {
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(environment !== undefined && { environment }),
      ...(verbose && { verbose }),
      ...(dryRun && { dry_run: dryRun }),
      ...(autoApprove && { auto_approve: autoApprove }),
      ...(preserveSandbox && { preserve_sandbox: preserveSandbox }),
      ...(label.length > 0 && { label }),
      ...(input.length > 0 && { input }),
    },
  };
}

/** `1 error`, `3 errors` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

import type { Command } from 'commander';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { withoutCredentials } from '#libs/kernel';
import { type Graph, isError } from '#libs/language';
import { type AuthoredWorkflow, readWorkflow } from '../manifest/authored-workflow.js';
import { buildManifest, type RunManifest } from '../manifest/build-manifest.js';
import { exitCodeOf, findingsOf } from '../manifest/findings.js';
import { gitIn } from '../manifest/git-context.js';
import { requireInputsRead } from '../manifest/require-inputs-read.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { counted, firstLineOf, oneLine } from '../terminal/format.js';
import { requestOf, type RunOptions, textsOf, withRunOptions } from './run-options.js';

type Run = components['schemas']['Run'];

/** The flags of a command that creates a run. */
export interface SubmissionOptions extends RunOptions {
  idempotencyKey?: string;
}

export function withSubmissionOptions(command: Command): Command {
  return withRunOptions(command).option(
    '--idempotency-key <key>',
    'the same key and workflow make one run, however often they are sent',
  );
}

/**
 * Checks the workflow here, then creates its run there. Nothing is sent when the workflow cannot run, or the signal
 * aborted before; once the request is under way it is waited for, for the run may exist.
 */
export async function submit(
  session: Session,
  typed: string,
  options: SubmissionOptions,
  signal?: AbortSignal,
): Promise<Run> {
  const { cwd } = session.surroundings;
  const workflow = await readWorkflow(typed, textsOf(options), { cwd, home: session.home });
  requireInputsRead(options.input, [workflow]);
  runnable(session, workflow);
  announce(session, workflow);
  const manifest = await buildManifest(workflow, requestOf(options), cwd, gitIn(cwd));
  const client = await session.client();
  if (signal?.aborted) throw new CliError('Interrupted; no run was created.', exitCodes.interrupted);
  return create(client, manifest, options.idempotencyKey);
}

/** Says whose orders are followed beside the workflow's: the project it is in, and every hook. */
function announce({ screen }: Session, { workspace, configs, hooks }: AuthoredWorkflow): void {
  const lines = [
    ...configs.map(({ path }) => `Project: ${workspace.absolute(path!)}`),
    ...hooks.map(
      ({ event, command, url, prompt }) => `Hook at ${event}: ${command ?? (url && withoutCredentials(url)) ?? prompt}`,
    ),
  ];
  for (const line of lines) screen.hint(screen.paint.dim(oneLine(line, screen.width)));
}

/** Says what was found, hints in one line each, and gives the graph; throws when the workflow cannot run. */
export function runnable({ screen, surroundings }: Session, workflow: AuthoredWorkflow): Graph {
  for (const { severity, text } of findingsOf(workflow, surroundings.cwd)) {
    screen.hint(severity === 'info' ? screen.paint.dim(firstLineOf(text, Infinity)) : text);
  }
  const { identifier, graph, diagnostics } = workflow;
  if (graph) return graph;
  const errors = counted(diagnostics.filter(isError).length, 'error');
  throw new CliError(`${identifier} cannot run: ${errors}.`, exitCodeOf(diagnostics));
}

function create(client: RunyardClient, body: RunManifest, key: string | undefined): Promise<Run> {
  const header = key === undefined ? {} : { 'Idempotency-Key': key };
  return unwrap(client.api.POST('/api/v1/runs', { body, params: { header } }));
}

/** Makes a created run eligible to execute. */
export function startRun(client: RunyardClient, id: string): Promise<Run> {
  return unwrap(client.api.POST('/api/v1/runs/{id}/start', { params: { path: { id } } }));
}

import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import type { Session } from '../session.js';

type Run = components['schemas']['Run'];

export function addParent(program: Command, cli: Cli): void {
  const parent = program.command('parent').description('which run orchestrates which');
  parent
    .command('link')
    .description('make a run the child of another one')
    .argument('<child>', RUN)
    .argument('<parent>', RUN)
    .addHelpText('after', '\nExample:\n  runyard parent link @last release')
    .action(
      cli.action(async (session, _, [child = '', parent = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, child) };
        const body = { parent_id: await selectRun(client, parent) };
        return show(session, await unwrap(client.api.PUT('/api/v1/runs/{id}/parent', { params: { path }, body })));
      }),
    );
  parent
    .command('unlink')
    .description('take a run away from its parent')
    .argument('<child>', RUN)
    .addHelpText('after', '\nExample:\n  runyard parent unlink @last')
    .action(
      cli.action(async (session, _, [child = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, child) };
        return show(session, await unwrap(client.api.DELETE('/api/v1/runs/{id}/parent', { params: { path } })));
      }),
    );
}

function show({ screen, json }: Session, run: Run): ExitCode {
  if (json) screen.json(run);
  else screen.result(run.parent_id ? `${run.id}  child of ${run.parent_id}` : `${run.id}  has no parent`);
  return exitCodes.done;
}

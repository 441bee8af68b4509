import type { Command } from 'commander';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import { inBatches } from '../runs/batches.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { counted, plainText } from '../terminal/format.js';
import { REMOVED_AT_ONCE } from './rm.js';
import { showBatch } from './show-batch.js';

type Unreadable = components['schemas']['SystemRepairRunsResponse'];

interface RepairOptions {
  delete?: boolean;
  yes?: boolean;
}

export function addSystemRepair(system: Command, cli: Cli): void {
  const repair = system.command('repair').description('what is damaged, and what can be done');
  repair
    .command('runs')
    .description('list the runs whose log cannot be read; ends with 1 when there are any')
    .option('--delete', 'delete them, with all that is stored of them')
    .option('--yes', 'delete them without more ado')
    .addHelpText('after', '\nExample:\n  runyard system repair runs --delete --yes')
    .action(
      cli.action<RepairOptions>(async (session, { delete: deletes = false, yes = false }) => {
        const client = await session.client();
        const found = await allUnreadable(client);
        if (!deletes || found.total_count === 0) return show(session, found);
        if (!yes) throw new CliError(warning(found), exitCodes.misuse, 'Say so with --yes.');
        return remove(session, client, found);
      }),
    );
}

/** However many requests it takes: one examines what it can in some seconds. */
async function allUnreadable({ api }: RunyardClient): Promise<Unreadable> {
  const runs: Unreadable['runs'] = [];
  for (let after: string | undefined; ;) {
    const params = { query: { ...(after !== undefined && { after }) } };
    const page: Unreadable = await unwrap(api.GET('/api/v1/system/repair/runs', { params }));
    runs.push(...page.runs);
    if (page.next === undefined) return { runs, total_count: runs.length };
    after = page.next;
  }
}

function show({ screen, json }: Session, { runs, total_count }: Unreadable): ExitCode {
  if (json) screen.json({ runs, total_count });
  else for (const { run_id, error } of runs) screen.result(`${run_id}  ${plainText(error)}`);
  if (total_count === 0) screen.hint('Every run can be read.');
  return total_count === 0 ? exitCodes.done : exitCodes.failed;
}

async function remove(session: Session, { api }: RunyardClient, { runs }: Unreadable): Promise<ExitCode> {
  const ids = runs.map(({ run_id }) => run_id);
  const removed = await inBatches(ids, REMOVED_AT_ONCE, (run_ids) =>
    unwrap(api.POST('/api/v1/runs/delete', { body: { run_ids, force: true } })),
  );
  return showBatch(session, removed);
}

function warning({ runs, total_count }: Unreadable): string {
  const listed = runs.map(({ run_id, error }) => `  ${run_id}  ${error}`).join('\n');
  return `This deletes ${counted(total_count, 'run')} for good:\n${listed}`;
}

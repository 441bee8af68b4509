import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { inBatches } from '../runs/batches.js';
import { type ChoiceOptions, chosenRuns, withChoice } from '../runs/chosen-runs.js';
import { confirmed } from '../runs/confirmed.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { counted } from '../terminal/format.js';
import { showBatch } from './show-batch.js';

/** The most runs that the server takes at once. */
const MAX_BATCH = 250;

export function addArchive(program: Command, cli: Cli): void {
  withChoice(program.command('archive'))
    .description('make runs that are over read-only, out of sight')
    .addHelpText('after', '\nExamples:\n  runyard archive @last\n  runyard archive --older-than 7d --yes')
    .action(
      cli.action<ChoiceOptions>(async (session, options, selectors) => {
        const { api } = await session.client();
        const archive = (run_ids: string[]) => unwrap(api.POST('/api/v1/runs/archive', { body: { run_ids } }));
        return change(session, options, selectors, { archived: false, what: 'archives', ask: archive });
      }),
    );
  withChoice(program.command('unarchive'))
    .description('bring archived runs back')
    .addHelpText('after', '\nExamples:\n  runyard unarchive @last\n  runyard unarchive --label team=web --yes')
    .action(
      cli.action<ChoiceOptions>(async (session, options, selectors) => {
        const { api } = await session.client();
        const unarchive = (run_ids: string[]) => unwrap(api.POST('/api/v1/runs/unarchive', { body: { run_ids } }));
        return change(session, options, selectors, { archived: true, what: 'brings back', ask: unarchive });
      }),
    );
}

/** What is done to the runs that are chosen: `archived` are those that it can be done to. */
interface Change {
  archived: boolean;
  what: string;
  ask: (ids: string[]) => Promise<components['schemas']['BatchRunLifecycleResponse']>;
}

/** Runs that are named are changed at once; those that flags choose are shown first. */
async function change(
  session: Session,
  options: ChoiceOptions,
  selectors: string[],
  { archived, what, ask }: Change,
): Promise<ExitCode> {
  const { ids, lines, byFilter } = await chosenRuns(await session.client(), selectors, options, { archived });
  const text = `This ${what} ${counted(ids.length, 'run')}:`;
  if (byFilter && ids.length > 0 && !(await confirmed(session, options.yes ?? false, text, lines)))
    return exitCodes.done;
  return showBatch(session, await inBatches(ids, MAX_BATCH, ask));
}

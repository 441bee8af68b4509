import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { selectRuns } from '../server/select-run.js';
import { counted } from '../terminal/format.js';
import { showBatch } from './show-batch.js';

interface RmOptions {
  force?: boolean;
  yes?: boolean;
}

export function addRm(program: Command, cli: Cli): void {
  program
    .command('rm')
    .description('remove runs with all that is stored of them')
    .argument('<run...>', 'ids, beginnings of ids, workflows, or @last')
    .option('-f, --force', 'active runs too: they are cancelled first')
    .option('--yes', 'remove them without more ado')
    .addHelpText('after', '\nExample:\n  runyard rm @last --yes')
    .action(
      cli.action<RmOptions>(async (session, { force = false, yes }, selectors) => {
        const client = await session.client();
        const run_ids = await selectRuns(client, selectors);
        if (!yes) throw new CliError(warning(run_ids), exitCodes.misuse, 'Say so with --yes.');
        const batch = await unwrap(client.api.POST('/api/v1/runs/delete', { body: { run_ids, force } }));
        return showBatch(session, batch);
      }),
    );
}

function warning(ids: readonly string[]): string {
  const listed = ids.map((id) => `  ${id}`).join('\n');
  return `This removes ${counted(ids.length, 'run')} for good, with events and outputs:\n${listed}`;
}

import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { selectRun } from '../server/select-run.js';
import { controlled } from './controlled.js';
import { statusResult } from './status-result.js';

export function addPause(program: Command, cli: Cli): void {
  program
    .command('pause')
    .description('let a run rest at its next safe point')
    .argument('<run>', 'id, beginning of an id, workflow, or @last')
    .option('--wait', 'return when it rests')
    .addHelpText('after', '\nExample:\n  runyard pause @last')
    .action(
      cli.action<{ wait?: boolean }>(async (session, { wait }, [selector = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, selector) };
        const asked = await unwrap(client.api.POST('/api/v1/runs/{id}/pause', { params: { path } }));
        const run = wait ? await controlled(client, asked) : asked;
        statusResult(session, run);
        return wait && run.lifecycle.status.kind !== 'paused' ? exitCodes.failed : exitCodes.done;
      }),
    );
}

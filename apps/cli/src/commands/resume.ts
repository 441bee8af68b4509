import type { Command } from 'commander';
import { type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { showRun } from '../follow/follow.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { type FollowFlags, followStyle, withFollowOptions } from './follow-options.js';
import { statusResult } from './status-result.js';

interface ResumeOptions extends FollowFlags {
  detach?: boolean;
}

export function addResume(program: Command, cli: Cli): void {
  withFollowOptions(program.command('resume'))
    .description('let a failed run go on from its last checkpoint, and follow it to its end')
    .argument('<run>', RUN)
    .option('-d, --detach', 'print where it stands and return')
    .addHelpText('after', '\nExample:\n  runyard resume @last')
    .action(
      cli.action<ResumeOptions>(async (session, { detach, ...options }, [selector = '']) => {
        const client = await session.client();
        const id = await selectRun(client, selector);
        const sinceSeq = (await lastSeq(client, id)) + 1;
        const path = { id };
        const run = await unwrap(
          client.api.POST('/api/v1/runs/{id}/start', { params: { path }, body: { resume: true } }),
        );
        if (!detach) return showRun(session, client, id, { sinceSeq, ...followStyle(options) });
        statusResult(session, run);
        return exitCodes.done;
      }),
    );
}

/** The newest event of the log, so that only what comes after it is shown. */
async function lastSeq(client: RunyardClient, id: string): Promise<number> {
  const query = { order: 'desc', limit: 1 } as const;
  const { data } = await unwrap(client.api.GET('/api/v1/runs/{id}/events', { params: { path: { id }, query } }));
  return data[0]?.seq ?? 0;
}

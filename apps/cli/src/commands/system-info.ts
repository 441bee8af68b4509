import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { durationText, table } from '../terminal/format.js';

type Info = components['schemas']['SystemInfoResponse'];

export function addSystemInfo(system: Command, cli: Cli): void {
  system
    .command('info')
    .description('version, storage and uptime of the server, and how many runs it has')
    .addHelpText('after', '\nExample:\n  runyard system info --json')
    .action(
      cli.action(async (session) => {
        const { api } = await session.client();
        const info = await unwrap(api.GET('/api/v1/system/info'));
        if (session.json) session.screen.json(info);
        else session.screen.result(table(rowsOf(info)).join('\n'));
        return exitCodes.done;
      }),
    );
}

function rowsOf({ runs, ...info }: Info): string[][] {
  return [
    ['version', info.version],
    ['address', info.server_url || '-'],
    ['machine', `${info.os} ${info.arch}`],
    ['up for', durationText(info.uptime_secs * 1_000)],
    ['storage', `${info.storage_engine}, ${info.storage_dir}`],
    ['sandboxes', info.sandbox_provider],
    ['runs', `${runs.total}, ${runs.active} active, ${runs.scheduler_slots_used} executing`],
  ];
}

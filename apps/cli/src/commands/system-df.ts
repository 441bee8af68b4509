import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { ageText, bytesText, oneLine, table } from '../terminal/format.js';

type Usage = components['schemas']['DiskUsageResponse'];

export function addSystemDf(system: Command, cli: Cli): void {
  system
    .command('df')
    .description('what runs take, and what pruning would give back')
    .option('-v, --verbose', 'a line for each run, the largest first')
    .addHelpText('after', '\nExample:\n  runyard system df -v')
    .action(
      cli.action<{ verbose?: boolean }>(async (session, { verbose = false }) => {
        const { screen, json } = session;
        const { api } = await session.client();
        const usage = await unwrap(api.GET('/api/v1/system/df', { params: { query: { verbose } } }));
        if (json) screen.json(usage);
        else screen.result([...summary(usage), ...runLines(usage, Date.now())].join('\n'));
        return exitCodes.done;
      }),
    );
}

function summary({ summary: kinds, total_size_bytes, total_reclaimable_bytes }: Usage): string[] {
  const rows = kinds.map(({ type, count, active, size_bytes, reclaimable_bytes }) => [
    type,
    String(count),
    active === null ? '-' : String(active),
    bytesText(size_bytes),
    reclaimable_bytes === null ? '-' : bytesText(reclaimable_bytes),
  ]);
  const total = ['total', '', '', bytesText(total_size_bytes), bytesText(total_reclaimable_bytes)];
  return table([['TYPE', 'COUNT', 'ACTIVE', 'SIZE', 'RECLAIMABLE'], ...rows, total]);
}

function runLines({ runs }: Usage, nowMs: number): string[] {
  if (runs === null) return [];
  const largestFirst = [...runs].sort((a, b) => b.size_bytes - a.size_bytes);
  const rows = largestFirst.map(({ run_id, workflow_name, status, start_time, size_bytes, reclaimable }) => [
    run_id,
    oneLine(workflow_name, 24),
    status,
    ageText(nowMs - Date.parse(start_time)),
    bytesText(size_bytes),
    reclaimable ? 'reclaimable' : '',
  ]);
  return ['', ...table([['ID', 'WORKFLOW', 'STATUS', 'CREATED', 'SIZE', ''], ...rows])];
}

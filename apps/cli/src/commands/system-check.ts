import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { table } from '../terminal/format.js';
import type { TerminalPaint } from '../terminal/screen.js';

type Report = components['schemas']['SystemCheckResponse'];

export function addSystemCheck(system: Command, cli: Cli): void {
  system
    .command('check')
    .description('say whether work gets done: workers, slots, leases, upkeep, stuck rows')
    .option('--strict', 'end with 1 on a warning, too')
    .addHelpText('after', '\nExample:\n  runyard system check --strict || page-somebody')
    .action(
      cli.action<{ strict?: boolean }>(async (session, { strict = false }) => {
        const { screen, json } = session;
        const { api } = await session.client();
        const report = await unwrap(api.GET('/api/v1/system/check'));
        if (json) screen.json(report);
        else screen.result(linesOf(report, screen.paint).join('\n'));
        const isBad = report.status === 'error' || (strict && report.status === 'warning');
        return isBad ? exitCodes.failed : exitCodes.done;
      }),
    );
}

/** A line for each check, below it what to do about it; the verdict last. */
function linesOf({ status, checks }: Report, paint: TerminalPaint): string[] {
  const marks = { pass: paint.green('✓'), warning: paint.yellow('!'), error: paint.red('✗') };
  const verdicts = {
    pass: 'Everything works.',
    warning: 'It works, with warnings.',
    error: 'Something does not work.',
  };
  const lines = table(checks.map(({ name, summary }) => [name, summary]));
  return [
    ...checks.flatMap((check, row) => [
      `${marks[check.status]} ${lines[row]}`,
      ...(check.remediation === null ? [] : [`    → ${check.remediation}`]),
    ]),
    `${marks[status]} ${verdicts[status]}`,
  ];
}

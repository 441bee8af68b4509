import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { readWorkflow } from '../manifest/authored-workflow.js';
import { buildManifest } from '../manifest/build-manifest.js';
import { gitIn } from '../manifest/git-context.js';
import { requireInputsRead } from '../manifest/require-inputs-read.js';
import { exitCodes } from '../server/exit-code.js';
import { oneLine, plainText, table } from '../terminal/format.js';
import type { TerminalPaint } from '../terminal/screen.js';
import { requestOf, type RunOptions, textsOf, withRunOptions, WORKFLOW_ARGUMENT } from './run-options.js';

type Check = components['schemas']['PreflightCheckResult'];

export function addPreflight(program: Command, cli: Cli): void {
  withRunOptions(program.command('preflight'))
    .description('ask the server whether a run could begin, without creating one')
    .argument('<workflow>', WORKFLOW_ARGUMENT)
    .addHelpText('after', '\nExample:\n  runyard preflight deploy.dot --environment staging')
    .action(
      cli.action<RunOptions>(async (session, options, [typed = '']) => {
        const { screen, json, home, surroundings } = session;
        const { cwd } = surroundings;
        const workflow = await readWorkflow(typed, textsOf(options), { cwd, home });
        requireInputsRead(options.input, [workflow]);
        const body = await buildManifest(workflow, requestOf(options), cwd, gitIn(cwd));
        const { api } = await session.client();
        const report = await unwrap(api.POST('/api/v1/preflight', { body }));
        if (json) screen.json(report);
        else {
          const lines = report.checks.sections.flatMap(({ checks }) => reportLines(checks, screen.paint));
          screen.result(lines.join('\n'));
        }
        return report.ok ? exitCodes.done : exitCodes.failed;
      }),
    );
}

/** A line for each check; below it the reasons for its status, and what to do about them. */
function reportLines(checks: readonly Check[], paint: TerminalPaint): string[] {
  const marks = { pass: paint.green('✓'), warning: paint.yellow('!'), error: paint.red('✗') };
  const rows = checks.map(({ name, status, summary }) => [name, status, oneLine(summary, Infinity)]);
  const [heads, ...lines] = table([['CHECK', 'STATUS', 'SUMMARY'], ...rows]);
  const below = ({ details, remediation }: Check): string[] => [
    ...details.map(({ text, warn }) => (warn ? setIn(text) : paint.dim(setIn(text)))),
    ...(remediation ? [setIn(`→ ${remediation}`)] : []),
  ];
  return [`  ${heads}`, ...checks.flatMap((check, row) => [`${marks[check.status]} ${lines[row]}`, ...below(check)])];
}

function setIn(text: string): string {
  return plainText(text).trimEnd().replace(/^/gm, '    ');
}

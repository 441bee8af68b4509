import type { Command } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN_SHOWN, selectShownRun } from '../server/select-run.js';
import { costText, durationText, oneLine, plainText, table } from '../terminal/format.js';
import { endOf } from '../runs/run-filter.js';
import { historyOf, type ToldHistory } from '../follow/run-history.js';
import { labelsText, statusText } from '../runs/run-table.js';

type Run = components['schemas']['Run'];
type Stage = components['schemas']['RunStage'];

export function addInspect(program: Command, cli: Cli): void {
  program
    .command('inspect')
    .description('show one run: its state, where it ran, its stages, and what failed first')
    .argument('<run>', RUN_SHOWN)
    .addHelpText('after', '\nExample:\n  runyard inspect @last --json')
    .action(
      cli.action(async (session, _, [selector = '']) => {
        const { screen, json } = session;
        const client = await session.client();
        const path = { id: await selectShownRun(client, selector) };
        const run = await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path } }));
        if (json) {
          screen.json(run);
          return exitCodes.done;
        }
        const query = { limit: 100 };
        const stages = await unwrap(client.api.GET('/api/v1/runs/{id}/stages', { params: { path, query } }));
        const history = await historyOf(client, path.id, { paint: screen.paint, width: screen.width, verbose: false });
        const failure =
          endOf(run) === 'failed' && history.firstFailure ? ['', 'failed first:', ...history.firstFailure] : [];
        const lines = [...runLines(run, history), '', ...stageTable(stages.data, history), ...failure];
        screen.result(lines.join('\n'));
        if (stages.meta.has_more) screen.hint(`and ${(stages.meta.total ?? 0) - stages.data.length} more stages`);
        return exitCodes.done;
      }),
    );
}

function runLines(run: Run, { forkedFrom }: ToldHistory): string[] {
  const { lifecycle, timestamps, timing, billing, workflow } = run;
  const facts: [string, string | null | undefined][] = [
    ['run', run.id],
    ['title', run.title],
    ['goal', run.goal === run.title ? null : run.goal],
    ['workflow', workflow.slug ?? workflow.graph_name],
    ['status', statusText(lifecycle)],
    ['error', lifecycle.error?.message],
    ['parent', run.parent_id],
    ['retry of', run.retried_from],
    ['fork of', run.retried_from === null ? forkedFrom : null],
    ['superseded', run.superseded_by && `by ${run.superseded_by}`],
    ['directory', run.source_directory],
    ['labels', labelsText(run)],
    ['created', timestamps.created_at],
    ['started', timestamps.started_at],
    ['ended', timestamps.completed_at],
    ['duration', timing && durationText(timing.wall_time_ms)],
    ['cost', billing?.total_usd_micros === undefined ? null : cost(billing.total_usd_micros)],
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, indented(plainText(value ?? ''))]));
}

function stageTable(stages: readonly Stage[], { copied, items, partial }: ToldHistory): string[] {
  if (stages.length === 0) return ['no stages yet'];
  const rows = stages.map(({ id, handler, status, wall_time_ms }) => [
    id,
    handler,
    copied.has(id) ? `${status} (copied)` : status,
    wall_time_ms === undefined ? '-' : durationText(wall_time_ms),
    oneLine(items.get(id) || (partial.get(id) ?? ''), Infinity),
  ]);
  return table([['STAGE', 'HANDLER', 'STATUS', 'DURATION', ''], ...rows]);
}

function cost(usdMicros: number | null): string | null {
  return usdMicros === null ? null : costText(usdMicros);
}

/** Further lines stand below the first, clear of the names. */
function indented(text: string): string {
  return text.trim().replaceAll('\n', '\n           ');
}

import type { Command } from 'commander';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { bytesText, counted, oneLine, table } from '../terminal/format.js';

type Request = components['schemas']['PruneRunsRequest'];
type Pruned = components['schemas']['PruneRunsResponse'];

interface PruneOptions {
  before?: string;
  olderThan?: string;
  workflow?: string;
  label?: Record<string, string>;
  orphans?: boolean;
  yes?: boolean;
}

export function addSystemPrune(system: Command, cli: Cli): void {
  system
    .command('prune')
    .description('remove runs that are over; without --yes only say which')
    .option('--before <date>', 'created before this date, month or year in UTC: 2026-03')
    .option('--older-than <age>', 'over for so many hours or days: 12h, 30d (24h when no other filter is given)')
    .option('--workflow <name>', "a part of the workflow's name")
    .option('--label <key=value>', 'has this label; may be repeated', addLabel)
    .option('--orphans', 'only what runs that are gone have left in the object store')
    .option('--yes', 'remove them')
    .addHelpText('after', '\nExample:\n  runyard system prune --older-than 30d --yes')
    .action(
      cli.action<PruneOptions>(async (session, options) => {
        return show(session, await pruneAll(await session.client(), requestOf(options)));
      }),
    );
}

/** However many requests it takes, as one result: one is about a thousand runs. */
async function pruneAll({ api }: RunyardClient, request: Request): Promise<Pruned> {
  const prune = (after?: string): Promise<Pruned> =>
    unwrap(api.POST('/api/v1/system/prune/runs', { body: { ...request, ...(after !== undefined && { after }) } }));
  let all = await prune();
  for (let last = all; goesOn(last);) {
    last = await prune(last.next);
    all = joined(all, last);
  }
  return all;
}

/** What removed runs have left is found again until it is removed. */
function goesOn({ has_more = false, next, dry_run, deleted_count }: Pruned): boolean {
  return has_more && (next !== undefined || (!dry_run && deleted_count > 0));
}

function joined(all: Pruned, { has_more, next, ...page }: Pruned): Pruned {
  return {
    dry_run: page.dry_run,
    runs: all.runs && page.runs && [...all.runs, ...page.runs],
    total_count: all.total_count + page.total_count,
    total_size_bytes: all.total_size_bytes + page.total_size_bytes,
    deleted_count: all.deleted_count + page.deleted_count,
    freed_bytes: all.freed_bytes + page.freed_bytes,
    ...(has_more !== undefined && { has_more }),
    ...(next !== undefined && { next }),
  };
}

function addLabel(text: string, labels: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new CliError(`--label is "${text}".`, exitCodes.misuse, 'Give it as key=value.');
  }
  return { ...labels, [key]: value };
}

function requestOf({ before, olderThan, workflow, label, orphans = false, yes = false }: PruneOptions): Request {
  return {
    dry_run: !yes,
    orphans,
    ...(before !== undefined && { before }),
    ...(olderThan !== undefined && { older_than: olderThan }),
    ...(workflow !== undefined && { workflow }),
    ...(label !== undefined && { labels: label }),
  };
}

/** Ends with 1 when a run that was meant could not be removed. */
function show({ screen, json }: Session, pruned: Pruned): ExitCode {
  const { dry_run, runs, total_count, total_size_bytes, deleted_count, freed_bytes } = pruned;
  if (json) screen.json(pruned);
  else if (dry_run) {
    const rows = (runs ?? []).map(({ run_id, workflow_name, size_bytes }) => [
      run_id,
      oneLine(workflow_name, 40) || '-',
      bytesText(size_bytes),
    ]);
    if (rows.length > 0) screen.result(table([['ID', 'WORKFLOW', 'SIZE'], ...rows]).join('\n'));
    screen.hint(`${counted(total_count, 'run')}, ${bytesText(total_size_bytes)}. Nothing was removed; --yes does it.`);
  } else {
    screen.result(`removed ${counted(deleted_count, 'run')}, ${bytesText(freed_bytes)}`);
  }
  if (dry_run || deleted_count === total_count) return exitCodes.done;
  screen.hint(`${counted(total_count - deleted_count, 'run')} could not be removed; prune again.`);
  return exitCodes.failed;
}

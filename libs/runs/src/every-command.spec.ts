import { describe, expect, it } from '@jest/globals';
import { saidStatus, statusAfter, type RunStatus } from '#libs/events';
import { RunyardError } from '#libs/kernel';
import { decided, fitting } from '../../../test/support/decided.js';
import { storedRuns, type AStoredRun, type Situation } from '../../../test/support/stored-runs.js';
import type { CommandKind } from './command.js';
import { leadsTo } from './lifecycle.js';

const situations = Object.keys(storedRuns) as Situation[];
const kinds = Object.keys(fitting) as CommandKind[];

const BEGIN: RunStatus = { kind: 'submitted' };
const statusOf = ({ log, head }: AStoredRun): RunStatus =>
  head.status === 'dead' ? { kind: 'dead' } : log.reduce<RunStatus>(statusAfter, BEGIN);

describe('a stored run', () => {
  it.each(situations)('that is %s has the status that its log says', (situation) => {
    const run = storedRuns[situation];
    expect(statusOf(run).kind).toBe(run.head.status);
  });
});

/** A status: that is what the command leaves behind. `=`: it is as before. `-`: refused. `.`: nothing is to be done. */
const TABLE = `
            submitted forked   pending  runnable starting running cancelling waiting blocked asking  paused  paused_asking removing succeeded failed   failed_early cancelled dead
start       runnable  runnable -        -        -        -       -          -       -       -       -       -             -        -         -        -            -         -
resume      -         runnable -        -        -        -       -          -       -       -       -       -             -        -         runnable -            runnable  -
approve     -         -        runnable -        -        -       -          -       -       -       -       -             -        -         -        -            -         -
deny        -         -        failed   -        -        -       -          -       -       -       -       -             -        -         -        -            -         -
cancel      failed    failed   failed   failed   =        =       .          failed  =       failed  failed  failed        -        -         -        -            -         -
pause       -         -        -        -        -        =       -          paused  =       paused  -       -             -        -         -        -            -         -
unpause     -         -        -        -        -        -       -          -       -       -       running blocked       -        -         -        -            -         -
answer      -         -        -        -        -        -       -          -       running running -       =             -        -         -        -            -         -
archive     -         -        -        -        -        -       -          -       -       -       -       -             -        =         =        =            =         =
unarchive   -         -        -        -        -        -       -          -       -       -       -       -             -        .         .        .            .         .
rename      =         =        =        =        =        =       =          =       =       =       =       =             =        =         =        =            =         =
link        =         =        =        =        =        =       =          =       =       =       =       =             =        =         =        =            =         =
unlink      =         =        =        =        =        =       =          =       =       =       =       =             =        =         =        =            =         =
remove      -         -        -        -        -        -       -          -       -       -       -       -             .        removing  removing removing     removing  removing
rewind      -         -        -        -        -        -       -          -       -       -       -       -             -        =         =        =            =         =
time_out    .         .        .        .        .        .       .          .       .       .       .       =             .        .         .        .            .         .
end_unheard .         .        .        .        .        .       failed     .       .       .       .       .             .        .         .        .            .         .
`;

describe('every command in every status', () => {
  it('has this outcome', () => {
    const rows = kinds.map((kind) => [kind, ...situations.map((situation) => cell(kind, situation))]);
    expect(printed([['', ...situations], ...rows])).toBe(TABLE);
  });

  it.each(kinds)('%s leads where the table of the lifecycle and the log say, and nowhere else', (kind) => {
    for (const situation of situations) {
      const run = storedRuns[situation];
      const before = statusOf(run);
      const { status } = run.head;
      const result = decided(run, fitting[kind](run));
      if (leadsTo(kind, status).length === 0) {
        if (!(result instanceof RunyardError)) expect([situation, result.events]).toEqual([situation, []]);
        continue;
      }
      if (result instanceof RunyardError || result.events.length === 0) continue;
      expect([situation, leadsTo(kind, status)]).toEqual([situation, expect.arrayContaining([result.status])]);
      let said = before;
      for (const event of result.events) {
        // No event of a command is one that readers of the log would not follow.
        expect(statusAfter(said, event)).toEqual(saidStatus(said, event) ?? said);
        said = statusAfter(said, event);
      }
      expect([situation, said.kind]).toEqual([situation, result.status]);
    }
  });

  function cell(kind: CommandKind, situation: Situation): string {
    const run = storedRuns[situation];
    const result = decided(run, fitting[kind](run));
    if (result instanceof RunyardError) return '-';
    if (result.events.length === 0) return '.';
    return result.status === run.head.status ? '=' : result.status!;
  }
});

function printed(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join(' ')
      .trimEnd(),
  );
  return `\n${lines.join('\n')}\n`;
}

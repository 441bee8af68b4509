import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { isTerminal, stamp, type RunEvent, type RunStatusKind } from '#libs/events';
import { leadsTo } from '#libs/runs';
import {
  DEAD,
  isArchivedAfter,
  LEAVES_LOG,
  OVER,
  PAUSED,
  STARTS,
  statusAfter,
  statusFrom,
  TIMES_OUT,
  WAITS,
} from './head-status.js';

const failure = { reason: 'cancelled', detail: {} };
const events = (...names: RunEvent['event'][]) =>
  names.map((event) => stamp({ event, properties: { failure } } as unknown as RunEvent, 0));

describe('statusAfter', () => {
  it.each<[RunEvent['event'], RunStatusKind | null]>([
    ['run.submitted', 'submitted'],
    ['run.runnable', 'runnable'],
    ['run.starting', 'starting'],
    ['run.running', 'running'],
    ['run.completed', 'succeeded'],
    ['run.failed', 'failed'],
    ['run.removing', 'removing'],
    ['run.created', null],
    ['run.claimed', null],
    ['run.started', null],
    ['run.parked', null],
    ['run.notice', null],
    ['run.cancel.requested', null],
    ['stage.failed', null],
  ])('of %s is %s', (event, status) => expect(statusAfter(events(event))).toBe(status));

  it('is what the last event that changes it says', () => {
    expect(statusAfter(events('run.starting', 'run.running', 'stage.started', 'run.notice'))).toBe('running');
    expect(statusAfter(events('run.running', 'stage.failed', 'run.failed'))).toBe('failed');
  });

  it('changes nothing without events', () => expect(statusAfter([])).toBeNull());
});

describe('statusFrom', () => {
  it.each<[RunStatusKind, RunEvent['event'][], RunStatusKind | null]>([
    ['submitted', ['run.start_requested', 'run.runnable'], 'runnable'],
    ['failed', ['run.start_requested', 'run.submitted', 'run.runnable'], 'runnable'],
    ['blocked', ['interview.completed', 'run.unblocked'], 'running'],
    ['paused', ['interview.completed', 'run.unblocked'], 'paused'],
    ['paused', ['run.title.updated'], null],
  ])('of a %s run after %j is %s', (before, names, status) =>
    expect(statusFrom(before, events(...names))).toBe(status),
  );
});

describe('isArchivedAfter', () => {
  it('is what the last event about it says, and null without one', () => {
    expect(isArchivedAfter(events('run.archived', 'run.title.updated'))).toBe(true);
    expect(isArchivedAfter(events('run.archived', 'run.unarchived'))).toBe(false);
    expect(isArchivedAfter(events('run.title.updated'))).toBeNull();
  });
});

describe('what SQL says of statuses', () => {
  it('is what the lifecycle says', () => {
    expect({ OVER, PAUSED, TIMES_OUT, LEAVES_LOG, WAITS, STARTS, DEAD }).toEqual({
      OVER: "('removing', 'failed', 'succeeded', 'dead')",
      PAUSED: "('paused')",
      TIMES_OUT: "('paused')",
      LEAVES_LOG: "('failed', 'succeeded')",
      WAITS: "'runnable'",
      STARTS: "'starting'",
      DEAD: "'dead'",
    });
  });

  it.each<[name: string, pattern: RegExp, statuses: string]>([
    ['move_log', /head\.status NOT IN (\([^)]*\))/, LEAVES_LOG],
    ['remove_events', /h\.status = ('\w+')/, `'${leadsTo('remove', 'failed')[0]!}'`],
  ])('is what the function %s says, too', async (name, pattern, statuses) => {
    const listed = (text: string): string[] => [...text.matchAll(/'(\w+)'/g)].map(([, kind]) => kind!).sort();
    expect(listed(pattern.exec(await newest(name))![1]!)).toEqual(listed(statuses));
  });
});

/** The migration that defined a function last. */
async function newest(name: string): Promise<string> {
  const folder = 'prisma/migrations';
  const migrations = (await readdir(folder)).filter((it) => /^\d/.test(it)).sort();
  const texts = await Promise.all(migrations.map((it) => readFile(`${folder}/${it}/migration.sql`, 'utf8')));
  return texts.findLast((text) => text.includes(`FUNCTION ${name}(`))!;
}

describe('OVER', () => {
  it('lists the terminal statuses and the one before removal', () => {
    const listed = [...OVER.matchAll(/'(\w+)'/g)].map(([, kind]) => kind as RunStatusKind);
    const kinds: RunStatusKind[] = [
      'submitted',
      'pending',
      'runnable',
      'starting',
      'running',
      'blocked',
      'paused',
      'removing',
      'succeeded',
      'failed',
      'dead',
    ];
    expect(listed.sort()).toEqual(kinds.filter((kind) => isTerminal(kind) || kind === 'removing').sort());
  });
});

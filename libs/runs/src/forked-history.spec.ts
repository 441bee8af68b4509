import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '#libs/events';
import { aLog, aStage, created, MIDNIGHT } from '../../../test/support/a-log.js';
import { ForkedHistory } from './forked-history.js';

const [a, b] = [aStage('a@1'), aStage('b@1')];
const checkpoint = (stage_id: string): RunEvent =>
  ({ event: 'checkpoint.completed', stage_id, properties: { ordinal: 1 } }) as unknown as RunEvent;
const restart = { event: 'loop.restart', properties: {} } as unknown as RunEvent;
const edited: RunEvent = { event: 'context.edited', properties: { values: { x: 1 } } };
const running: RunEvent = { event: 'run.running', properties: {} };

function historyUpTo(seq: number, ...events: RunEvent[]): ForkedHistory {
  const history = new ForkedHistory(seq, (ms) => `id at ${ms}`);
  for (const event of aLog(created(), ...events)) history.follow(event);
  return history;
}
const names = ({ copies }: ForkedHistory): string => copies.map(({ event }) => event).join(' ');

describe('what a fork takes along', () => {
  it('is what was done up to its checkpoint, and nothing that belongs to its source alone', () => {
    const history = historyUpTo(
      6,
      running,
      edited,
      a.started(),
      a.completed(),
      checkpoint('a@1'),
      b.started(),
      running,
    );
    expect(names(history)).toBe('stage.started stage.completed checkpoint.completed');
    expect([history.keptStages, history.droppedStages]).toEqual([['a@1'], ['b@1']]);
  });

  it('is told apart from what happened in the fork itself', () => {
    const [copy] = historyUpTo(3, running, a.started()).copies;
    const ts = new Date(MIDNIGHT + 2_000).toISOString();
    expect(copy).toMatchObject({ id: `id at ${MIDNIGHT + 2_000}`, ts, origin: { run_id: expect.any(String), seq: 3 } });
    expect(copy).not.toHaveProperty('seq');
    const origin = { run_id: '01JS', seq: 7 };
    expect(historyUpTo(3, running, { ...a.started(), origin }).copies).toMatchObject([{ origin }]);
  });

  it('has the loop restart that follows its checkpoint at once, and none later', () => {
    const upTo = [a.started(), checkpoint('a@1')];
    expect(names(historyUpTo(3, ...upTo, restart, b.started(), restart))).toBe(
      'stage.started checkpoint.completed loop.restart',
    );
    expect(names(historyUpTo(3, ...upTo, b.started(), restart))).toBe('stage.started checkpoint.completed');
  });

  it('drops no stage that began on both sides', () => {
    const history = historyUpTo(3, a.started(), checkpoint('a@1'), a.started());
    expect([history.keptStages, history.droppedStages]).toEqual([['a@1'], []]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok, type ARun } from '../../../../test/support/a-run.js';

//        ┌─> a ─┐
// fork ──┤      ├─> join -> exit
//        └─> b ─┘
const FORKED = `fork [shape=component] join [shape=tripleoctagon]
  start -> fork; fork -> a -> join; fork -> b -> join; join -> exit`;

const ending = ({ log }: ARun) =>
  log.find(({ event, node_id }) => node_id === 'join' && /^stage\.(completed|failed)$/.test(event));

describe('a fan-in', () => {
  it('says how many branches it joined, without a worker', () => {
    const run = aRun(FORKED).play();
    expect(ending(run)).toMatchObject({ properties: { status: 'succeeded', notes: 'Joined 2 parallel branches' } });
  });

  it('is a partial success where a branch failed, and says which', () => {
    const run = aRun(FORKED).play({ b: fails() });
    expect(ending(run)).toMatchObject({
      properties: { status: 'partially_succeeded', notes: 'Joined 2 parallel branches: 1 of 2 failed (b)' },
    });
  });

  it('lets its edges ask for that', () => {
    const asking = `${FORKED} [condition="outcome=succeeded"] join -> mend -> exit`;
    expect(aRun(asking).play({ b: fails() }).path).toContain('mend@1');
    expect(aRun(asking).play().path).not.toContain('mend@1');
  });

  it('is a success by auto_status', () => {
    const run = aRun(`${FORKED} join [auto_status=true]`).play({ b: fails() });
    expect(ending(run)).toMatchObject({ properties: { status: 'succeeded' } });
  });

  it('with a prompt is work for a model', () => {
    const run = aRun(FORKED, { models: ['join'] }).at('join');
    expect(run.last?.work.map(({ stage }) => stage.id)).toEqual(['join@1']);
  });

  it.each([
    ['without', []],
    ['with', ['join']],
  ])('%s a prompt has nothing to join where nothing forked', (_, models) => {
    const run = aRun(`join [shape=tripleoctagon] start -> join -> exit`, { models }).play();
    expect(ending(run)).toMatchObject({ properties: { failure: { message: 'No parallel results to join' } } });
  });

  it('joins only what is a list', () => {
    const script = { a: ok({ contextUpdates: { 'parallel.results': 'none' } }) };
    const run = aRun(`join [shape=tripleoctagon] start -> a -> join -> exit`).play(script);
    expect(ending(run)).toMatchObject({ properties: { failure: { message: 'Invalid parallel results' } } });
  });
});

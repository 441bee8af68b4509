import { describe, expect, it } from '@jest/globals';
import type { Json } from '#libs/kernel';
import { aRun, ok, type ARun } from '../../../../test/support/a-run.js';

// start -> make -> each => review (one per item) -> join -> exit
const each = (source: string): string => `each [shape=component, for_each="${source}"] join [shape=tripleoctagon] make
  start -> make -> each -> review -> join -> exit`;

/** The list was made, or whatever else it is, and the fork was entered. */
function made(value: Json, source = 'items', rest = ''): ARun {
  const run = aRun(`${each(source)} ${rest}`, { models: ['review'] }).at('make');
  run.ends(ok({ contextUpdates: { items: value } }));
  return run;
}

const labels = ({ log }: ARun) =>
  log.flatMap((event) => (event.event === 'parallel.branch.started' ? [event.properties.item_label] : []));

const failure = ({ log }: ARun) =>
  log.flatMap((event) => (event.event === 'stage.failed' ? [event.properties.failure] : []))[0];

describe('the source of for_each', () => {
  it.each(['items', 'context.items'])('may be written as %s', (source) => {
    expect(labels(made(['x'], source))).toEqual(['0']);
  });

  it('may be the list itself', () => {
    expect(labels(aRun(each('[1, 2]'), { models: ['review'] }).play())).toEqual(['0', '1']);
  });

  it('may be a text that holds the list', () => {
    expect(labels(made('[{"name":"one"}]'))).toEqual(['one']);
  });

  it.each([[{ a: 1 }], ['no list'], [7], [null]])('fails the node, for good, when it is %j', (value) => {
    const run = made(value);
    expect(failure(run)).toMatchObject({
      message: "for_each source 'items' must resolve to a JSON array",
      category: 'deterministic',
    });
    expect(run.log.filter(({ event }) => event === 'stage.retrying')).toEqual([]);
  });

  it('may hold a thousand items and no more', () => {
    const list = (length: number): Json => Array.from({ length }, (_, n) => n);
    expect(failure(made(list(1_000)))).toBeUndefined();
    expect(failure(made(list(1_001)))?.message).toBe(
      "for_each source 'items' has 1001 items; at most 1000 are allowed",
    );
  });

  it('may be a text of not too many values: very small ones take many times the memory of their text', () => {
    expect(failure(made(`[[${'0,'.repeat(60_000)}0]]`))).toBeUndefined();
    expect(failure(made(`[[${'0,'.repeat(250_000)}0]]`))?.message).toBe(
      "for_each source 'items' consists of more than 250000 values",
    );
  });

  it.each(['items', '[1, 2]'])('is one item in a dry run where nobody made it (%s)', (source) => {
    const run = aRun(each(source), { models: ['review'], dryRun: true }).at('review');
    expect(labels(run)).toEqual(source === 'items' ? ['dry-run item'] : ['0', '1']);
  });
});

describe('the label of an item', () => {
  it.each<[Json, string]>([
    [{ name: 'one', label: 'other' }, 'one'],
    [{ label: 'two' }, 'two'],
    [{ name: 3, label: 'three' }, 'three'],
    [{ name: ' \u0007\n ' }, '0'],
    [{ name: ' a\u001b[31mred\n' }, 'a [31mred'],
    [{ title: 'x' }, '0'],
    ['text', '0'],
    [['list'], '0'],
    [null, '0'],
    [{ name: 'x'.repeat(300) }, 'x'.repeat(200)],
  ])('of %j is %j', (item, label) => {
    expect(labels(made([item]))).toEqual([label]);
  });
});

describe('the item of a branch', () => {
  it('is given to the node that is repeated, and to no other', () => {
    const run = aRun(`${each('[7]').replace('review -> join', 'review -> after -> join')}`, { models: ['review'] });
    run.at('review');
    expect(run.last?.work.map(({ item }) => item)).toEqual([{ value: 7, label: '0', index: 0 }]);
    run.ends(ok());
    expect(run.last?.work.map(({ stage, item }) => [stage.node, item])).toEqual([['after', undefined]]);
  });

  it('is that of the list before the fork, whatever the branch writes and whoever goes on with it', () => {
    const run = made(['x', 'y'], 'items', 'review [max_retries=1]; review -> review [condition="again=yes"]');
    run.ends(ok({ contextUpdates: { items: ['other'], again: 'yes' } }));
    expect(run.last?.work[0]).toMatchObject({ stage: { id: 'review@3' }, item: { value: 'x' } });
    const next = run.takenOver();
    next.advance();
    expect(next.last?.work.map(({ stage, item }) => [stage.id, item?.value])).toEqual([
      ['review@3', 'x'],
      ['review@2', 'y'],
    ]);
  });
});

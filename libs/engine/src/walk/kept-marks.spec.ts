import { describe, expect, it } from '@jest/globals';
import { stamp, type KeptMarks, type StampedEvent } from '#libs/events';
import type { Json } from '#libs/kernel';
import { aRun, ok, type ARun } from '../../../../test/support/a-run.js';
import { contextEntry, type ContextEntry } from '../state/context.js';

const REFERENCE = `blob://sha256/${'a'.repeat(64)}`;

function entry({ definition, walk }: ARun, key: string): ContextEntry | undefined {
  return contextEntry(definition, walk.state, walk.state.cursors.main!, key);
}

const writes = (contextUpdates: Record<string, Json>, kept?: KeptMarks) =>
  ok({ contextUpdates, ...(kept && { kept }) });

function completed(run: ARun, node: string): StampedEvent['properties'] {
  return run.log.find(({ event, node_id }) => event === 'stage.completed' && node_id === node)!.properties;
}

describe('what a stage wrote', () => {
  it('says nothing of references where nothing looks like one', () => {
    const run = aRun('start -> a -> b -> exit').at('a');
    run.ends(writes({ x: `a ${REFERENCE}`, y: [REFERENCE] }));
    expect(completed(run, 'a')).not.toHaveProperty('kept');
  });

  it('says that text which looks like one is none, and so it is for every later worker', () => {
    const run = aRun('start -> a -> b -> exit').at('a');
    run.ends(writes({ x: REFERENCE }));
    expect(completed(run, 'a')).toMatchObject({ context_updates: { x: REFERENCE }, kept: {} });
    for (const each of [run, run.takenOver()]) {
      expect(entry(each, 'x')).toEqual({ value: REFERENCE });
      expect(each.walk.lookup('x')).toBe(REFERENCE);
    }
  });

  it('takes the mark of what it overwrites away', () => {
    const run = aRun('start -> a -> b -> c -> exit').at('a');
    run.ends(writes({ x: REFERENCE, preferred_label: REFERENCE }, { x: 5, preferred_label: 5 }));
    expect(entry(run, 'x')).toEqual({ value: REFERENCE, mark: 5 });
    run.ends(ok({ contextUpdates: { x: REFERENCE }, preferredLabel: REFERENCE }));
    expect([entry(run, 'x'), entry(run, 'preferred_label')]).toEqual([{ value: REFERENCE }, { value: REFERENCE }]);
  });

  it('of a version without marks is told by its form, as a whole value only', () => {
    const run = aRun('start -> a -> b -> exit').at('a');
    run.ends(writes({ x: REFERENCE, y: [REFERENCE], z: `${REFERENCE}#json` }));
    for (const { properties } of run.appends.flat()) delete (properties as { kept?: KeptMarks }).kept;
    const old = run.takenOver();
    expect(['x', 'y', 'z'].map((key) => entry(old, key)?.mark)).toEqual([0, undefined, 0]);
  });

  it('is never made a reference by an edit of a context', () => {
    const run = aRun('start -> a -> b -> exit').at('a');
    run.ends(writes({ x: REFERENCE }, { x: 5 }));
    run.walk.hear(stamp({ event: 'context.edited', properties: { values: { x: REFERENCE } } }, run.now));
    expect(entry(run, 'x')).toEqual({ value: REFERENCE });
  });

  it('is marked in the results of branches, in each where it stands', () => {
    const run =
      aRun(`fork [shape=component] join [shape=tripleoctagon] start -> fork; fork -> a -> join; fork -> b -> join
      join -> after -> exit`).at('a');
    run.finishes('fork@1:0', writes({ x: REFERENCE, y: REFERENCE }, { y: 7 }));
    run.finishes('fork@1:1', writes({ x: 1 }));
    run.at('after');
    expect(entry(run, 'parallel.results')).toMatchObject({
      value: [{ context_updates: { x: REFERENCE, y: REFERENCE } }, { context_updates: { x: 1 } }],
      mark: { 0: { context_updates: { y: 7 } } },
    });
    expect(entry(run.takenOver(), 'parallel.results')).toEqual(entry(run, 'parallel.results'));
  });

  it('is marked in an item of a list as it was in the list', () => {
    const run = aRun(
      `fork [shape=component] join [shape=tripleoctagon] each [shape=component, for_each="parallel.results"]
        done [shape=tripleoctagon] start -> fork; fork -> a -> join; fork -> b -> join; join -> each -> read -> done -> exit`,
      { models: ['read'] },
    ).at('a');
    run.finishes('fork@1:0', writes({ y: REFERENCE }, { y: 7 }));
    run.finishes('fork@1:1', ok());
    run.at('read');
    expect(run.last?.work.map(({ item }) => item?.mark)).toEqual([{ context_updates: { y: 7 } }, undefined]);
  });

  it('is marked in what a sub-workflow hands to its manager', () => {
    const child = 'digraph C { start; exit; node [shape=parallelogram, script=x]; work; start -> work -> exit }';
    const run = aRun(`boss [shape=house, stack.child_dot_source="${child}"] start -> boss -> after -> exit`).at(
      'boss.work',
    );
    run.ends(writes({ x: REFERENCE, y: REFERENCE, 'internal.z': REFERENCE }, { y: 7, 'internal.z': 8 }));
    run.at('after');
    expect(completed(run, 'boss')).toMatchObject({ context_updates: { x: REFERENCE, y: REFERENCE }, kept: { y: 7 } });
    expect([entry(run, 'x'), entry(run, 'y')]).toEqual([{ value: REFERENCE }, { value: REFERENCE, mark: 7 }]);
  });
});

describe('a kept value that is too large to be read', () => {
  const big = writes({ big: REFERENCE }, { big: 9_000_000 });
  const reason = 'The context value "big" of 9000000 bytes is too large for a condition, a for_each or a gate';

  it('fails the stage that goes through it', () => {
    const run = aRun(
      `each [shape=component, for_each=big] join [shape=tripleoctagon] start -> a -> each -> read -> join -> exit`,
      { models: ['read'] },
    ).play({ a: big });
    const failed = run.log.find(({ event }) => event === 'stage.failed');
    expect(failed).toMatchObject({
      node_id: 'each',
      properties: { failure: { message: expect.stringContaining(reason) } },
    });
  });

  it('fails the manager whose stop condition asks for it, and stops its child', () => {
    const child =
      'digraph C { start; exit; node [shape=parallelogram, script=x]; one; two; start -> one -> two -> exit }';
    const run = aRun(
      `boss [shape=house, stack.child_dot_source="${child}", manager.stop_condition="big contains x", manager.poll_interval=1s]
        start -> boss -> after -> exit`,
    ).at('boss.one');
    run.ends(big);
    run.sleep();
    const failed = run.log.filter(({ event }) => event === 'stage.failed');
    expect(failed.map(({ node_id }) => node_id)).toEqual(['boss.two', 'boss']);
    expect(failed[1]!.properties).toMatchObject({ failure: { message: expect.stringContaining(reason) } });
  });

  it('fails a gate whose way depends on it, and is not shown by one', () => {
    const asking = (condition: string): ARun =>
      aRun(
        `ask [shape=hexagon, label=Go] start -> a -> ask; ask -> yes [${condition}]; ask -> exit [label=No]; yes -> exit`,
      ).at('a');
    const gate = asking('condition="big contains x"');
    gate.ends(ok({ contextUpdates: { big: REFERENCE }, kept: { big: 9_000_000 } }));
    gate.take(gate.walk.settle());
    const failed = gate.log.find(({ event }) => event === 'stage.failed');
    expect(failed).toMatchObject({
      node_id: 'ask',
      properties: { failure: { message: expect.stringContaining(reason) } },
    });

    const shown = asking('label=Yes');
    shown.ends(writes({ last_stage: 'a', 'response.a': REFERENCE }, { 'response.a': 9_000_000 }));
    shown.take(shown.walk.settle());
    const [asked] = shown.log.filter(({ event }) => event === 'interview.started');
    expect(asked?.properties).not.toHaveProperty('context_display');
  });
});

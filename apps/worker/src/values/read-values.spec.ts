import { beforeEach, expect, it } from '@jest/globals';
import { initialState, Walk } from '#libs/engine';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { aDefinition } from '../../../../test/support/a-run.js';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { KeptValues } from './kept-values.js';
import { ReadValues } from './read-values.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const MIB = 1024 * 1024;

let kept: KeptValues;
let walk: Walk;
let values: ReadValues;
beforeEach(() => {
  kept = new KeptValues(new InMemoryObjectStore(), run);
  const definition = aDefinition(
    'start -> a; a -> b [condition="read contains x || more contains x"]; a -> exit; b -> exit',
  );
  const moment = { now: 0, epoch: 1, random: () => 0 };
  walk = new Walk(definition, initialState(definition.index.start.id), moment);
  values = new ReadValues(walk, kept);
});

/** A stage writes so many megabytes, of which each has these letters. */
async function writes(key: string, size: number, letter: string): Promise<string> {
  const { reference, bytes } = await kept.keepValue(letter.repeat(size * MIB));
  await values.of({ status: 'succeeded', contextUpdates: { [key]: reference }, kept: { [key]: bytes } });
  const main = walk.state.cursors.main!;
  main.context[key] = reference;
  main.kept[key] = bytes;
  return reference;
}

it('has at hand what is marked under a key that the walk reads, and nothing else', async () => {
  const { reference } = await kept.keepValue('text');
  const contextUpdates = { read: reference, other: reference };
  await values.of({ status: 'succeeded', contextUpdates, kept: { other: 4 } });
  expect(walk.resolved.size).toBe(0);
  await values.of({ status: 'succeeded', contextUpdates, kept: { read: 4 } });
  expect([...walk.resolved]).toEqual([[reference, 'text']]);
});

it('reads the contexts of a run that another worker drove', async () => {
  const { reference } = await kept.keepValue('text');
  Object.assign(walk.state.cursors.main!, { context: { read: reference }, kept: { read: 0 } });
  await values.all();
  expect(walk.lookup('read')).toBe('text');
});

it('leaves out what there is no room for', async () => {
  await writes('read', 5, 'a');
  await writes('more', 5, 'b');
  expect(walk.lookup('read')).toHaveLength(5 * MIB);
  expect(() => walk.lookup('more')).toThrow(`The context value "more" of ${5 * MIB} bytes is too large`);
});

it('makes room by what no context holds any more', async () => {
  for (const letter of ['a', 'b', 'c']) {
    const reference = await writes('read', 5, letter);
    expect(walk.lookup('read')).toBe(letter.repeat(5 * MIB));
    if (letter === 'c') expect([...walk.resolved.keys()]).toEqual([expect.any(String), reference].slice(1));
    delete walk.state.cursors.main!.context.read;
  }
});

it('reads what is gone as its reference', async () => {
  const gone = `blob://sha256/${'a'.repeat(64)}`;
  Object.assign(walk.state.cursors.main!, { context: { read: gone }, kept: { read: 7 } });
  await values.all();
  expect(walk.lookup('read')).toBe(gone);
});

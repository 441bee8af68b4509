import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StampedEvent } from '#libs/events';
import { canonicalJson, type Json } from '#libs/kernel';
import { aRun, ok } from '../../../../test/support/a-run.js';
import { contextKeys, contextValue } from '../state/context.js';
import { evolve } from '../fold/evolve.js';
import { initialState, MAIN_CURSOR } from '../state/state.js';

/** Names that every object has already, and any others. */
const keys = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', '0'),
  fc.string({ minLength: 1 }).map((text) => `own.${text}`),
);
const contexts = fc
  .uniqueArray(fc.tuple(keys, fc.jsonValue()), { selector: ([key]) => key, maxLength: 6 })
  .map((entries) => Object.fromEntries(entries) as Record<string, Json>);

const readBack = (event: StampedEvent): StampedEvent => JSON.parse(JSON.stringify(event)) as StampedEvent;

//  start -> a -> b -> exit
describe('the keys of the context', () => {
  it('are any texts: what is written under them is kept, and read from the log as it was', () => {
    fc.assert(
      fc.property(contexts, contexts, (first, second) => {
        const run = aRun('start -> a -> b -> exit').play({
          a: ok({ contextUpdates: first }),
          b: ok({ contextUpdates: second }),
        });
        const live = run.walk.state;
        const folded = initialState(run.definition.index.start.id);
        for (const event of run.log) evolve(folded, readBack(event), run.definition);
        expect(canonicalJson(folded as unknown as Json)).toBe(canonicalJson(readBack(live as never) as never));

        const cursor = folded.cursors[MAIN_CURSOR]!;
        for (const [key, value] of Object.entries({ ...first, ...second })) {
          expect(contextKeys(folded, cursor)).toContain(key);
          const kept = contextValue(run.definition, folded, cursor, key);
          expect(canonicalJson(kept ?? null)).toBe(canonicalJson(JSON.parse(JSON.stringify(value)) as Json));
        }
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])('may be %s, which decides the way like any other', (key) => {
    const ways = `start -> a  a -> yes [condition="context.${key}=on"]  a -> no  yes -> exit  no -> exit`;
    const on = Object.fromEntries([[key, 'on']]);
    expect(aRun(ways).play({ a: ok({ contextUpdates: on }) }).path).toContain('yes@1');
    expect(aRun(ways).play({ a: ok() }).path).toContain('no@1');
  });

  it.each(['__proto__', 'constructor'])('may be %s in what a person edits', (key) => {
    const state = initialState('start');
    const { definition } = aRun('start -> exit');
    const values = Object.fromEntries([[key, { a: 1 }]]);
    const edit = { event: 'context.edited', properties: { values }, id: 'e', ts: '2030-01-01T00:00:00.000Z' };
    evolve(state, edit, definition);
    expect(contextValue(definition, state, state.cursors[MAIN_CURSOR]!, key)).toEqual({ a: 1 });
  });
});

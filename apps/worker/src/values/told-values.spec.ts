import { beforeEach, expect, it } from '@jest/globals';
import type { Briefing } from '#libs/engine';
import type { KeptMarks } from '#libs/events';
import { DEFAULT_TENANT, type Json, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { KeptValues } from './kept-values.js';
import { withValuesTold } from './told-values.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };

let kept: KeptValues;
beforeEach(() => {
  kept = new KeptValues(new InMemoryObjectStore(), run);
});

function told(values: Record<string, Json>, marks: KeptMarks, more: Partial<Briefing> = {}): Promise<Briefing> {
  const base = { fidelity: 'compact', threadId: null, goal: '', runId: 'R1', history: [], nodeCount: 1 } as const;
  const briefing = { ...base, context: Object.entries(values), kept: marks, nodeOf: () => undefined };
  return withValuesTold({ ...briefing, ...more }, kept);
}
const valuesOf = ({ context }: Briefing): Record<string, Json> => Object.fromEntries(context);

it('tells small values whole, of large ones the beginning, and text of authors as it is', async () => {
  const [small, large, list] = await Promise.all(
    ['small', 'é'.repeat(9_000), [1, 2]].map((each) => kept.keepValue(each)),
  );
  const reference = small!.reference;
  const values = {
    small: reference,
    large: large!.reference,
    list: list!.reference,
    text: reference,
    in: [reference, 1],
  };
  const marks = { small: 5, large: 18_000, list: 5, in: { 0: 5 } };
  expect(valuesOf(await told(values, marks))).toEqual({
    ...{ small: 'small', large: `(18000 bytes) ${'é'.repeat(150)} …`, list: [1, 2], text: reference, in: ['small', 1] },
  });
});

it('finds the size of what an older version kept', async () => {
  const { reference } = await kept.keepValue('x'.repeat(9_000));
  expect(valuesOf(await told({ a: reference }, { a: 0 }))).toEqual({ a: `(9000 bytes) ${'x'.repeat(300)} …` });
});

it('tells more than a thousand by their sizes, and what is gone as it stands', async () => {
  const references = Array.from({ length: 1_001 }, (_, n) => `blob://sha256/${String(n).padStart(64, '0')}`);
  const marks = Object.fromEntries(references.map((_, place) => [place, 9]));
  const { all } = valuesOf(await told({ all: references }, { all: marks })) as { all: string[] };
  expect([all[999], all[1_000]]).toEqual([references[999], '(9 bytes)']);
});

it('tells the end of an output, and how much came before it', async () => {
  const { reference, bytes } = await kept.keepValue('line\n'.repeat(100_000));
  const briefing = await told({ 'command.output': reference }, { 'command.output': bytes });
  expect(briefing.output!.end.length).toBe(65_536);
  expect(briefing.output!.linesBefore + briefing.output!.end.split('\n').length - 1).toBe(100_000);
  expect(valuesOf(briefing)['command.output']).toMatch(/^\(500000 bytes\) line\n/);
});

it('reads nothing for a stage that is told no values', async () => {
  const reference = `blob://sha256/${'a'.repeat(64)}`;
  const briefing = await told({ a: reference }, { a: 9 }, { fidelity: 'truncate' });
  expect([briefing.kept, valuesOf(briefing)]).toEqual([{}, { a: reference }]);
});

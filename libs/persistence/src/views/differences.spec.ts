import { expect, it } from '@jest/globals';
import { differences } from './differences.js';

const places = (stored: unknown, folded: unknown): string[] =>
  [...differences('view', stored, folded)].map(({ place }) => place);

it('finds none between what JSON cannot tell apart', () => {
  expect(places({ a: 1, b: { c: [1, null] } }, { b: { c: [1, null] }, a: 1, d: undefined })).toEqual([]);
});

it('names the innermost place, once each', () => {
  const stored = { title: 'A', status: { kind: 'failed' }, questions: [{ id: 'q' }] };
  const folded = { title: 'B', status: { kind: 'succeeded', reason: 'completed' }, questions: [] };
  expect(places(stored, folded)).toEqual(['view.title', 'view.status.kind', 'view.status.reason', 'view.questions.0']);
});

it('tells what is stored and what the log says', () => {
  expect([...differences('view', { a: null }, { a: { b: 1 } })]).toEqual([
    { place: 'view.a', stored: null, folded: { b: 1 } },
  ]);
});

import { expect, it } from '@jest/globals';
import { ageMs, ageProblem, datePrefixProblem } from './prune-rules.js';

it.each([
  ['0h', 0],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
])('reads the age %s', (text, ms) => {
  expect([ageProblem(text), ageMs(text)]).toEqual([undefined, ms]);
});

it.each(['', '12', 'h', '-1h', '1.5h', '2w', '12H', '12 h', '9999999d'])('refuses the age %j', (text) => {
  expect(ageProblem(text)).toContain('12h or 30d');
});

it.each(['2026', '2026-03', '2026-03-01', '2026-03-01T09', '2026-03-01T09:14', '2026-03-01T09:14:07Z'])(
  'takes %s for the beginning of a date',
  (text) => expect(datePrefixProblem(text)).toBeUndefined(),
);

it.each(['', '26', '2026-', '2026-13', '2026-03-32', 'yesterday', '2026-03-01T09:14:07+01:00'])(
  'does not take %j for one',
  (text) => expect(datePrefixProblem(text)).toContain('beginning of a date'),
);

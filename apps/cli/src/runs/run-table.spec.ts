import { expect, it } from '@jest/globals';
import { aRun } from '../../../../test/support/cli/samples.js';
import { runTable } from './run-table.js';

const A = '01K2ZP6Q8V9Y3T5N7M1R4S6X8B';
const B = '01K2ZP6Q8V9Y3T5NZZZZZZZZZZ';
const NOW = Date.parse('2026-01-02T03:05:05.000Z');
const shown = (width: number, ...ids: string[]): string[] =>
  runTable(
    ids.map((id) => aRun(id)),
    NOW,
    width,
  );

it('shows whole ids where there is room for them', () => {
  expect(shown(120, A)).toEqual([
    'ID                          WORKFLOW  STATUS   CREATED  DURATION  TITLE',
    `${A}  review    running  1m ago   4.2s      Tighten error handling`,
  ]);
});

it('shows labels where there are any and room for them', () => {
  const runs = [{ ...aRun(A), labels: { team: 'web', tier: '1' } }, aRun(B)];
  const [, labelled, bare] = runTable(runs, NOW, 120);
  expect(labelled).toBe(`${A}  review    running  1m ago   4.2s      team=web tier=1  Tighten error handling`);
  expect(bare).toMatch(/4\.2s {6} {15} {2}Tighten/);
  expect(runTable(runs, NOW, 100).join()).not.toContain('team');
});

it('shows beginnings of ids that are all different on a narrower terminal', () => {
  expect(shown(100, A)[1]).toBe('01K2ZP6Q8V9Y3T  review    running  1m ago   4.2s      Tighten error handling');
  expect(shown(100, A, B).map((line) => line.split(' ')[0])).toEqual(['ID', A.slice(0, 17), B.slice(0, 17)]);
});

it('keeps the title before times', () => {
  expect(shown(60, A)[1]).toBe('01K2ZP6Q8V9Y3T  review    running  Tighten error handling');
});

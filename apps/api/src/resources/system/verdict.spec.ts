import { expect, it } from '@jest/globals';
import type { SystemFigures } from '#libs/persistence';
import { verdictOf, type Observation } from './verdict.js';

const FINE: SystemFigures = {
  slots: { limit: 5, held: 2, queued: 0, parked: 1 },
  leases: { held: 2, expired: 0 },
  waiting: { forSlotMs: 0, forWorkerMs: 0 },
  stuck: { queued: 0, parked: 0, held: 0, cancelled: 0 },
  workers: { alive: 1, missing: 0 },
  views: { comparedAgoMs: 3_600_000, mended: 2, mendedAgoMs: 90_000_000 },
};
const duty = (name: string, everyMs: number, lagMs: number) => ({ name, everyMs, lagMs, failures: 0 });
const observed = (changes: Partial<SystemFigures> = {}, more: Partial<Observation> = {}): Observation => ({
  figures: { ...FINE, ...changes },
  duties: [duty('wake and promote', 1_000, 500), duty('partitions', 3_600_000, 3_500_000)],
  faults: [],
  ...more,
});
const found = (observation: Observation) => {
  const { status, checks } = verdictOf(observation);
  return [status, ...checks.flatMap((check) => (check.status === 'pass' ? [] : [`${check.name}: ${check.status}`]))];
};

it('has nothing to say about a server that does its work', () => {
  const { status, checks } = verdictOf(observed());
  expect(status).toBe('pass');
  expect(checks.map(({ remediation }) => remediation)).toEqual(checks.map(() => null));
  expect(checks.find(({ name }) => name === 'slots')?.summary).toBe('2 of 5 in use, 0 queued for up to 0 s, 1 parked.');
});

it.each<[string, Partial<SystemFigures>, string[]]>([
  [
    'no worker, and nothing to do',
    { workers: { alive: 0, missing: 0 }, slots: { ...FINE.slots, held: 0 } },
    ['warning', 'workers: warning'],
  ],
  ['no worker, and work', { workers: { alive: 0, missing: 0 } }, ['error', 'workers: error']],
  ['a worker that vanished', { workers: { alive: 1, missing: 1 } }, ['warning', 'workers: warning']],
  ['a short wait for a worker', { waiting: { forSlotMs: 0, forWorkerMs: 14_999 } }, ['pass']],
  ['a wait for a worker', { waiting: { forSlotMs: 0, forWorkerMs: 15_000 } }, ['warning', 'leases: warning']],
  ['a long wait for a worker', { waiting: { forSlotMs: 0, forWorkerMs: 60_000 } }, ['error', 'leases: error']],
  ['a very long wait for a slot', { waiting: { forSlotMs: 9e9, forWorkerMs: 0 } }, ['warning', 'slots: warning']],
  ['a stuck row', { stuck: { ...FINE.stuck, parked: 1 } }, ['error', 'stuck rows: error']],
  [
    'a read model that was wrong today',
    { views: { ...FINE.views, mended: 3, mendedAgoMs: 60_000 } },
    ['warning', 'read models: warning'],
  ],
  [
    'read models that nobody compared for a week',
    { views: { comparedAgoMs: 7 * 86_400_000, mended: 0, mendedAgoMs: null } },
    ['warning', 'read models: warning'],
  ],
])('judges %s', (_, changes, expected) => {
  expect(found(observed(changes))).toEqual(expected);
});

it('judges a duty by the rest it takes between its turns', () => {
  const late = (everyMs: number, lagMs: number) => found(observed({}, { duties: [duty('d', everyMs, lagMs)] }));
  expect(late(150, 10_000)).toEqual(['pass']);
  expect(late(150, 11_000)).toEqual(['warning', 'upkeep: warning']);
  expect(late(150, 62_000)).toEqual(['error', 'upkeep: error']);
  expect(late(3_600_000, 7_200_000)).toEqual(['pass']);
});

it('names the worst of several, and what to do about each', () => {
  const faults = ['No job came round through the queue for 40 s.'];
  const { status, checks } = verdictOf(observed({ workers: { alive: 1, missing: 2 } }, { faults }));
  const bad = checks.filter((check) => check.status !== 'pass');
  expect([status, bad.map(({ name }) => name)]).toEqual(['error', ['readiness', 'workers']]);
  expect(bad[0]!.summary).toBe(faults[0]);
  expect(bad.every(({ remediation }) => remediation !== null)).toBe(true);
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SandboxRun } from '#libs/engine';
import { DEFAULT_TENANT, monotonicMs, type RunId } from '#libs/kernel';
import type { EndedRun } from '#libs/persistence';
import { InMemorySandboxProvider } from '../../../../test/support/in-memory-sandbox.js';
import { runsInPlace } from '../../../../test/support/runs-in-place.js';
import { createLogger } from '#libs/server-runtime';
import { LeftSandboxes } from './left-sandboxes.js';

const aRun = (letter: string): SandboxRun => ({
  tenantId: DEFAULT_TENANT,
  runId: letter.padStart(26, '0') as RunId,
  bornAt: '2026-01-01T00:00:00.000000Z',
});

describe('sandboxes that are left', () => {
  const [over, live, resumed, unknown] = ['A', 'B', 'C', 'D'].map(aRun) as [
    SandboxRun,
    SandboxRun,
    SandboxRun,
    SandboxRun,
  ];
  let sandboxes: InMemorySandboxProvider;
  let ended: EndedRun[];
  let left: LeftSandboxes;
  beforeEach(async () => {
    sandboxes = new InMemorySandboxProvider(() => ({}));
    for (const run of [resumed, over, live, unknown]) {
      await sandboxes.open({
        ...run,
        epoch: run === resumed ? 2 : 1,
        sourceDirectory: '/',
        env: {},
        leaseGoodAtMs: monotonicMs(),
      });
    }
    // The resumed one went on since the database was asked.
    ended = [
      { ...resumed, epoch: 1 },
      { ...over, epoch: 1 },
    ];
    left = new LeftSandboxes([sandboxes], async () => ended, createLogger('silent', 'test'));
  });

  const inPlace = (): Promise<SandboxRun[]> => runsInPlace(sandboxes);

  it('are removed where the run is over, whatever becomes of the others', async () => {
    await left.round();
    expect(await inPlace()).toEqual([resumed, live, unknown]);
    ended = [{ ...live, epoch: 3 }];
    await left.round();
    expect(await inPlace()).toEqual([resumed, unknown]);
  });

  it('stay when the worker leaves', async () => {
    left.stop();
    await left.round();
    expect(await inPlace()).toHaveLength(4);
  });
});

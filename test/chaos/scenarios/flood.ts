import { newUlid } from '#libs/kernel';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflow } from '../../support/api-caller.js';
import { examine } from '../examination.js';
import { History } from '../history.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { Site } from '../site.js';

/** For each run of an ordinary load. */
const FLOOD_FACTOR = 50;
const CLIENTS = 32;
const OTHERS = 20;
/** How long another tenant's run may take beside the flood. */
const OTHERS_MS = 10_000;
const ALL_THROUGH_MS = 600_000;

export const flood: Scenario = {
  name: 'flood',
  claim: 'Ten thousand runs of one tenant delay no other tenant, start in their order, and all come to an end.',
  async run({ build, runs }) {
    const site = await Site.open({ build });
    try {
      await site.start();
      const history = new History();
      const flooding = new PersistentClient(site.urls, site.token, site.directory, history);
      const other = new PersistentClient(site.urls, await tokenOf(site, 'other'), site.directory, history);
      const count = runs * FLOOD_FACTOR;
      const began = performance.now();
      const lanes = Array.from({ length: CLIENTS }, async (_, lane) => {
        for (let i = lane; i < count; i += CLIENTS) await begin(flooding);
      });
      const took: number[] = [];
      for (let i = 0; i < OTHERS; i++) {
        await sleep(500);
        took.push(await through(other));
      }
      await Promise.all(lanes);
      const submittedMs = performance.now() - began;
      const deadline = performance.now() + ALL_THROUGH_MS;
      while ((await unfinished(site)) > 0 && performance.now() < deadline) await sleep(1_000);
      const allMs = performance.now() - began;

      const report = await examine(site, { history });
      const worst = Math.max(...took);
      const faults = worst > OTHERS_MS ? [`another tenant's run took ${Math.round(worst)} ms`] : [];
      return {
        ...report,
        faults: [...report.faults, ...faults],
        figures: {
          ...report.figures,
          'submitted per s': Math.round((count / submittedMs) * 1_000),
          'finished per s': Math.round((count / allMs) * 1_000),
          'others ms (worst)': Math.round(worst),
        },
      };
    } finally {
      await site.close();
    }
  },
};

async function begin(client: PersistentClient): Promise<string> {
  const runId = newUlid(Date.now());
  await client.create(runId, workflow('start -> exit'));
  await client.start(runId);
  return runId;
}

/** Runs one to its end. Returns how long that took. */
async function through(client: PersistentClient): Promise<number> {
  const began = performance.now();
  const runId = await begin(client);
  while ((await client.status(runId))?.kind !== 'succeeded' && performance.now() - began < 60_000) await sleep(100);
  return performance.now() - began;
}

async function unfinished(site: Site): Promise<number> {
  const [row] = await site.stores.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM run_heads WHERE status NOT IN ('succeeded', 'failed')`,
  );
  return row!.count;
}

/** Signs somebody of another tenant in. */
async function tokenOf(site: Site, tenant: string): Promise<string> {
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  await site.stores.sql('INSERT INTO tenants (id, name) VALUES ($1, $1)', [tenant]);
  await site.stores.sql(
    `INSERT INTO access_tokens (token_sha256, tenant_id, role, principal)
     SELECT $1, $2, role, principal FROM access_tokens LIMIT 1`,
    [createHash('sha256').update(token).digest('hex'), tenant],
  );
  return token;
}

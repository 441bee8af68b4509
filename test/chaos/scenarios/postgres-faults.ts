import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad } from '../under-load.js';

export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  claim: 'PostgreSQL is killed and started again every 5 to 20 s.',
  run: (trial) =>
    underLoad(trial, {
      async attack({ site, dice, chaosMs }) {
        let restarts = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; restarts++) {
          await sleep(dice.between(5_000, 20_000));
          await restart(site);
        }
        return { restarts };
      },
    }),
};

export const restartInReconciler: Scenario = {
  name: 'restart-in-reconciler',
  claim: 'PostgreSQL is killed while every promotion, start and release stands in the middle of its transaction.',
  run: (trial) =>
    underLoad(trial, {
      async attack({ site, dice, chaosMs }) {
        let restarts = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; restarts++) {
          await sleep(dice.between(3_000, 8_000));
          await holding(site, 'SELECT FROM scheduler FOR UPDATE', dice.between(300, 1_500), () => restart(site));
        }
        return { restarts };
      },
    }),
};

export const brokenConnections: Scenario = {
  name: 'broken-connections',
  claim: 'Sessions of the database are ended at random, one in three of all of them every second or two.',
  run: (trial) =>
    underLoad(trial, {
      async attack({ site, dice, chaosMs }) {
        let ended = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until;) {
          await sleep(dice.between(1_000, 2_000));
          const sessions = await site.stores.sql<{ pid: number }>(
            `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid`,
          );
          const chosen = sessions.filter(() => dice.next() < 1 / 3).map(({ pid }) => pid);
          await site.stores.sql('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [chosen]);
          ended += chosen.length;
        }
        return { ended };
      },
    }),
};

export const poolExhausted: Scenario = {
  name: 'pool-exhausted',
  claim: 'Nobody gets a connection or a lock for seconds: clients are told to come again, and nothing is lost.',
  run: (trial) =>
    underLoad(trial, {
      livingMayRepeat: true,
      async attack({ site, dice, chaosMs }) {
        let times = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; times++) {
          await sleep(dice.between(3_000, 6_000));
          const ms = dice.between(1_000, 6_000);
          if (times % 2 === 0) await holding(site, 'LOCK TABLE run_heads IN EXCLUSIVE MODE', ms, async () => undefined);
          else await occupied(site, ms);
        }
        return { times };
      },
    }),
};

async function restart({ stores: { postgres } }: Site): Promise<void> {
  await postgres.kill();
  await postgres.start();
}

/** Keeps a lock for a while, and does something while it is still kept. */
async function holding(site: Site, lock: string, ms: number, then: () => Promise<void>): Promise<void> {
  const client = await session(site);
  await client.query(`BEGIN; ${lock}`);
  await sleep(ms);
  await then();
  await client.end().catch(() => undefined);
}

/** Takes every connection that PostgreSQL has left, and ends those of others so that they have to come back. */
async function occupied(site: Site, ms: number): Promise<void> {
  const taken: pg.Client[] = [];
  try {
    for (;;) taken.push(await session(site));
  } catch {
    await taken[0]!.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name NOT IN ($1, $2)',
      ['chaos', ''],
    );
    await sleep(ms);
  } finally {
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
  }
}

async function session({ stores: { postgres } }: Site): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.connectionString, application_name: 'chaos' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { startStandbyOf, type Standby } from '../../support/postgres-standby.js';
import { until } from '../../support/until.js';
import type { Dice } from '../dice.js';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad } from '../under-load.js';

export const failover: Scenario = {
  name: 'failover',
  claim:
    'PostgreSQL dies and its synchronous standby takes its place: nothing acknowledged is lost, and nothing runs twice.',
  run: (trial) =>
    underLoad(
      { ...trial, chaosMs: Math.max(trial.chaosMs, 45_000) },
      {
        site: { proxied: true },
        async attack({ site, dice, chaosMs }) {
          let failovers = 0;
          for (const end = performance.now() + chaosMs; performance.now() < end; failovers++) {
            const standby = await synchronousStandby(site);
            await sleep(dice.between(8_000, 20_000));
            await failOver(site, standby, dice);
          }
          return { failovers };
        },
      },
    ),
};

/** From here on nothing is acknowledged that the standby does not have. */
async function synchronousStandby({ stores }: Site): Promise<Standby> {
  const standby = await startStandbyOf(stores.postgres);
  await stores.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await stores.sql('SELECT pg_reload_conf()');
  const isSynchronous = async (): Promise<boolean> =>
    (await stores.sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 1;
  await until(isSynchronous, 'the standby is synchronous', 20_000);
  return standby;
}

/** The address moves at once, to a server that still says that it is a standby. */
async function failOver({ stores }: Site, standby: Standby, dice: Dice): Promise<void> {
  const proxy = stores.proxies!.postgres;
  await stores.postgres.kill();
  proxy.moveTo(standby.connectionString);
  proxy.cut();
  await sleep(dice.between(500, 3_000));
  await standby.promote();
  await stores.replacePostgres(standby);
}

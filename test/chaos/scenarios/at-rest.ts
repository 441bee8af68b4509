import { setTimeout as sleep } from 'node:timers/promises';
import { examine } from '../examination.js';
import { History } from '../history.js';
import type { Scenario } from '../scenario.js';
import { Site } from '../site.js';

const APIS = 8;
const WORKERS = 16;
/** Statements a second of all of them together. */
const MOST = 20;
/** After this the pools have given back what they do not need. */
const SETTLED_MS = 40_000;
const MEASURED_MS = 60_000;
const SHOWN = 8;

interface Counted {
  query: string;
  calls: number;
}

export const atRest: Scenario = {
  name: 'at-rest',
  claim: `${APIS} API processes and ${WORKERS} workers that have nothing to do ask PostgreSQL at most ${MOST} things a second.`,
  async run({ build }) {
    const postgresFlags = ['shared_preload_libraries=pg_stat_statements', 'max_connections=800'];
    const site = await Site.open({ build, apis: APIS, workers: WORKERS, postgresFlags });
    try {
      for (const member of site.members) await member.start();
      await site.stores.sql('CREATE EXTENSION pg_stat_statements');
      await sleep(SETTLED_MS);
      await site.stores.sql('SELECT pg_stat_statements_reset()');
      await sleep(MEASURED_MS);
      const counted = await site.stores.sql<Counted>(
        `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS query, sum(calls)::int AS calls FROM pg_stat_statements
          WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY 1 ORDER BY 2 DESC`,
      );
      const perSecond = counted.reduce((sum, { calls }) => sum + calls, 0) / (MEASURED_MS / 1_000);
      const report = await examine(site, { history: new History() });
      const most = counted.slice(0, SHOWN).map(({ query, calls }) => `${calls} times ${query.trim().slice(0, 90)}`);
      const faults = perSecond > MOST ? [`${perSecond.toFixed(1)} statements a second: ${most.join('; ')}`] : [];
      const figures = { processes: APIS + WORKERS, 'statements per s': Number(perSecond.toFixed(1)) };
      return { ...report, faults: [...report.faults, ...faults], figures: { ...report.figures, ...figures } };
    } finally {
      await site.close();
    }
  },
};

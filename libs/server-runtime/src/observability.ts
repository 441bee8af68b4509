import { readSystemFigures, type Database, type SystemFigures } from '#libs/persistence';
import type { RunBell, Upkeep } from '#libs/scheduling';
import { Metrics } from './metrics/metrics.js';
import { ProcessMetrics } from './metrics/process-metrics.js';
import { Readiness } from './readiness.js';
import { remembered } from './remembered.js';

/** What operators can see of a process, and of the server through it. */
export interface Observability {
  readonly readiness: Readiness;
  /** How the whole server stands; the database is asked at most once a second. */
  readonly figures: () => Promise<SystemFigures>;
  /** Parts of the process add what only they can tell. */
  readonly processMetrics: ProcessMetrics;
  readonly metrics: Metrics;
}

interface Parts {
  database: Database;
  migrations: readonly string[];
  bell: RunBell;
  bellIsOnRedis: boolean;
  upkeep: Upkeep;
}

const FIGURES_SHARED_MS = 1_000;

export function observabilityOf({ database, migrations, bell, bellIsOnRedis, upkeep }: Parts): Observability {
  const figures = remembered(FIGURES_SHARED_MS, () => readSystemFigures(database));
  const processMetrics = new ProcessMetrics({ upkeep, connections: () => database.connections });
  return {
    readiness: new Readiness({ database, migrations, bell: bellIsOnRedis ? bell : null }),
    figures,
    processMetrics,
    metrics: new Metrics(processMetrics, figures),
  };
}

import type { Scenario } from '../scenario.js';
import { clockSkew } from './clock-skew.js';
import { failpoints } from './failpoints.js';
import { flood } from './flood.js';
import { fullDisk } from './full-disk.js';
import { network } from './network.js';
import { poison } from './poison.js';
import { brokenConnections, poolExhausted, postgresRestarts, restartInReconciler } from './postgres-faults.js';
import { races } from './races.js';
import { redisAway, redisFlush, redisHangs } from './redis-faults.js';
import { rollingDeploy } from './rolling-deploy.js';
import { apiKills, slowReaders } from './streams.js';
import { allWorkersGone, workerKills } from './worker-deaths.js';
import { mostWorkersFrozen, zombies } from './zombies.js';

/** In the order in which they are tried. */
export const scenarios: readonly Scenario[] = [
  workerKills,
  failpoints,
  zombies,
  mostWorkersFrozen,
  allWorkersGone,
  redisFlush,
  ...redisAway,
  redisHangs,
  postgresRestarts,
  restartInReconciler,
  brokenConnections,
  poolExhausted,
  network,
  races,
  poison,
  clockSkew,
  apiKills,
  slowReaders,
  rollingDeploy,
  fullDisk,
  flood,
];

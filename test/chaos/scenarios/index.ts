import type { Scenario } from '../scenario.js';
import { atRest } from './at-rest.js';
import { clockSkew } from './clock-skew.js';
import { failover } from './failover.js';
import { failpoints } from './failpoints.js';
import { flood } from './flood.js';
import { fullDisk } from './full-disk.js';
import { goingOn } from './going-on.js';
import { largeValues } from './large-values.js';
import { natForgets } from './nat-forgets.js';
import { network } from './network.js';
import { objectStoreAway } from './object-store-away.js';
import { poison } from './poison.js';
import { brokenConnections, poolExhausted, postgresRestarts, restartInReconciler } from './postgres-faults.js';
import { races } from './races.js';
import { redisAway, redisFlush, redisHangs } from './redis-faults.js';
import { refusedRequests } from './refused-requests.js';
import { rollingDeploy } from './rolling-deploy.js';
import { sleepingLaptop } from './sleeping-laptop.js';
import { apiKills, slowReaders } from './streams.js';
import { termAtAnyMoment } from './term-at-any-moment.js';
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
  failover,
  brokenConnections,
  poolExhausted,
  network,
  natForgets,
  races,
  refusedRequests,
  termAtAnyMoment,
  goingOn,
  poison,
  clockSkew,
  sleepingLaptop,
  apiKills,
  slowReaders,
  rollingDeploy,
  fullDisk,
  objectStoreAway,
  largeValues,
  flood,
  atRest,
];

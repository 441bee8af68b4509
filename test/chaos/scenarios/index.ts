import type { Scenario } from '../scenario.js';
import { failpoints } from './failpoints.js';
import { redisAway, redisFlush, redisHangs } from './redis-faults.js';
import { allWorkersGone, workerKills } from './worker-deaths.js';

/** In the order in which they are tried. */
export const scenarios: readonly Scenario[] = [
  workerKills,
  failpoints,
  allWorkersGone,
  redisFlush,
  ...redisAway,
  redisHangs,
];

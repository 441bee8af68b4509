import { describe, expect, it, jest } from '@jest/globals';
import { Dice } from '../chaos/dice.js';
import { postgresRestarts } from '../chaos/scenarios/postgres-faults.js';
import { races } from '../chaos/scenarios/races.js';
import { refusedRequests } from '../chaos/scenarios/refused-requests.js';
import { termAtAnyMoment } from '../chaos/scenarios/term-at-any-moment.js';
import { workerKills } from '../chaos/scenarios/worker-deaths.js';
import { testBuild } from '../support/standalone.js';

jest.setTimeout(180_000);

/** The long form, and all others: `npm run chaos`. */
const SHORT = { chaosMs: 5_000, runs: 6 };
const SEED = 20_261_121;

describe('a site of API and worker processes under load', () => {
  it.each([workerKills, postgresRestarts, races, refusedRequests, termAtAnyMoment])(
    '$name: $claim',
    async (scenario) => {
      const { faults, voided } = await scenario.run({ build: testBuild(), dice: new Dice(SEED), ...SHORT });
      expect(faults).toEqual([]);
      expect(voided).toBeUndefined();
    },
  );
});

import { setTimeout as sleep } from 'node:timers/promises';
import type { Build } from '../../support/standalone.js';
import { olderBuild } from '../older-build.js';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

export const rollingDeploy: Scenario = {
  name: 'rolling-deploy',
  claim: 'Processes are replaced one by one by those of another version, and back, while they work side by side.',
  async run(trial) {
    const older = await olderBuild();
    if (!older) return { faults: [], figures: {}, voided: 'there is no git history to build an older version from' };
    try {
      let version: Build = older;
      return await underLoad(trial, {
        site: { buildOf: () => version },
        async attack({ site, dice, chaosMs }) {
          const deploy = async (build: Build): Promise<void> => {
            version = build;
            for (const member of site.members) {
              await sleep(Math.min(chaosMs / site.members.length / 3, dice.between(1_000, 5_000)));
              await member.stop(40_000);
              await member.start();
            }
          };
          await deploy(trial.build);
          await deploy(older);
          await deploy(trial.build);
          return { 'older version': older.commit.slice(0, 8), deploys: 3 };
        },
      });
    } finally {
      await older.remove();
    }
  },
};

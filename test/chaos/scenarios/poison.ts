import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, workflow } from '../../support/api-caller.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

export const poison: Scenario = {
  name: 'poison',
  claim: 'A run that kills every worker that touches it is given up; the runs beside it do not notice.',
  async run(trial) {
    let status: { kind: string; reason?: string } | undefined;
    const report = await underLoad(trial, {
      standstillMs: 60_000,
      site: { dyingAt: () => ({ point: 'before_execute', stageId: 'poison@1', signal: 'SIGKILL' }) },
      async attack({ site, chaosMs, history }) {
        const client = new PersistentClient(site.urls, site.token, site.directory, history);
        const runId = newUlid(Date.now());
        await client.create(runId, workflow(`${command('poison', 'true')} start -> poison -> exit`));
        await client.start(runId);
        let deaths = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; await sleep(200)) {
          for (const worker of site.workers.filter(({ pid }) => pid === undefined)) {
            deaths++;
            await worker.start().catch(() => undefined);
          }
        }
        status = await client.status(runId);
        return { deaths, 'poison is': status?.kind ?? 'unknown' };
      },
    });
    const contained = status?.kind === 'failed' && status.reason === 'terminated';
    return contained
      ? report
      : { ...report, faults: [...report.faults, `the poison run is ${JSON.stringify(status)}`] };
  },
};

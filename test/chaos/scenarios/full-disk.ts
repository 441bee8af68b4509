import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

const run = promisify(execFile);

export const fullDisk: Scenario = {
  name: 'full-disk',
  claim:
    'The disk on which workers keep sandboxes and outputs is full for seconds: runs end in a known way, none is lost.',
  async run(trial) {
    if (process.getuid?.() !== 0) return { faults: [], figures: {}, voided: 'only root may mount a small disk' };
    return underLoad(trial, {
      mayFail: true,
      site: {
        async prepare(home) {
          await mkdir(home);
          await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', home]);
          return () => run('umount', ['--lazy', home]).then(() => undefined);
        },
      },
      async attack({ site, dice, chaosMs }) {
        let filled = 0;
        const ballast = join(site.home, 'ballast');
        for (const until = performance.now() + chaosMs; performance.now() < until; filled++) {
          await sleep(dice.between(2_000, 5_000));
          const { bavail, bsize } = await statfs(site.home);
          await writeFile(ballast, Buffer.alloc(Math.max(0, bavail) * bsize)).catch(() => undefined);
          await sleep(dice.between(1_000, 4_000));
          await rm(ballast, { force: true });
        }
        return { filled };
      },
    });
  },
};

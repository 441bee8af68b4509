import { runServerProcess } from '#libs/server-runtime';
import { startWorker } from './start-worker.js';

const GRACE_MS = 25_000;

/** A worker process beside API processes: needs DATABASE_URL, uses REDIS_URL and S3_* when they are set. */
runServerProcess({
  service: 'runyard-worker',
  maxConnections: 8,
  async start(platform, { workerSlots, home, webUrl, hooksReach, localSandbox }, log) {
    const worker = await startWorker(platform, log, {
      slots: workerSlots,
      sandboxDirectory: home.sandboxes,
      apiAddress: webUrl,
      hooksReach,
      localUser: localSandbox.user,
    });
    return () => worker.stop(GRACE_MS);
  },
});

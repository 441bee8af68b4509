/**
 * A worker of a build, which ends itself when it reaches a named point. Its arguments are the `dist` folder of the build
 * and a `SignalPoint` as JSON; its surroundings are those of every worker. Plain JavaScript, because it runs on a build.
 */
const [dist, json] = process.argv.slice(2);
const { runServerProcess } = await import(`${dist}/libs/server-runtime/src/index.js`);
const { Failpoints, startWorker } = await import(`${dist}/apps/worker/src/index.js`);
const at = JSON.parse(json);

class SignalAt extends Failpoints {
  passed = 0;

  reach(point, stageId) {
    if (point !== at.point || (at.stageId !== undefined && stageId !== at.stageId)) return;
    if (this.passed++ < (at.after ?? 0)) return;
    process.kill(process.pid, at.signal);
  }
}

runServerProcess({
  service: 'runyard-worker',
  maxConnections: 8,
  async start(platform, { workerSlots, home, webUrl }, log) {
    const parts = { slots: workerSlots, sandboxDirectory: home.sandboxes, apiAddress: webUrl };
    const worker = await startWorker(platform, log, { ...parts, failpoints: new SignalAt() });
    return () => worker.stop(25_000);
  },
});

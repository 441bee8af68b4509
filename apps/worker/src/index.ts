export { Failpoints, type Failpoint } from './failpoints.js';
export { startWorker, type RunningWorker, type WorkerSetup } from './start-worker.js';

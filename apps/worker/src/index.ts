export { Failpoints, type Failpoint } from './failpoints.js';
export { startWorker, type RunningWorker } from './start-worker.js';

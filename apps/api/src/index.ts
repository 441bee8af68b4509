export { startApi, type RunningApi } from './start-api.js';

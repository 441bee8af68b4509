export { startApi, type RunningApi } from './start-api.js';
export { type HttpLimits } from './edge/http/limits.js';

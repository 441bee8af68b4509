export { startApi, type RunningApi } from './start-api.js';
export { type HttpLimits } from './http/limits.js';

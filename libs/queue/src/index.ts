export { BullMqRunBell, type BellOptions } from './bullmq-run-bell.js';
export { QueueUnavailableError, RedisUnfitError } from './errors.js';
export { type WarningLog } from './connection-error-log.js';
export { assertRedisFit } from './redis-fitness.js';

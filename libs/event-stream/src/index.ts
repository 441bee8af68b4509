export { PgEventNotices } from './pg-event-notices.js';
export { RedisEventNotices } from './redis-event-notices.js';
export { NoticesClosedError } from './connection-state.js';
export { type WarningLog } from './warning-log.js';

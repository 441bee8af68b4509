export { ensureDevToken, issueDevToken } from './dev-token.js';
export { createLogger, nestLogger, type Logger } from './logger.js';
export { openPlatform, type Platform } from './platform.js';
export { untilSignal } from './until-signal.js';

export { ensureDevToken, issueDevToken } from './dev-token.js';
export { createLogger, nestLogger, type Logger } from './logger.js';
export { openPlatform, type Platform } from './platform.js';
export { endWith, runServerProcess } from './server-process.js';
export { storedWalk } from './stored-walk.js';
export { untilSignal } from './until-signal.js';

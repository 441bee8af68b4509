export { type Caller } from './auth/caller.js';
export { LEAST_ROLE, type Role, ROLES } from './auth/roles.js';
export { TokenDirectory } from './auth/token-directory.js';
export { FaultLog } from './errors/fault-log.js';
export { createHttpApp } from './http-app.js';
export { HttpModule, type HttpModuleOptions } from './http-module.js';
export { type Binding, listen, type Listener } from './http/listen.js';
export { RunStreams } from './streams/run-streams.js';
export * from './runs/run-use-cases.js';

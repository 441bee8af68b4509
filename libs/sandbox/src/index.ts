export { hostEnvironment } from './host-environment.js';
export { LocalSandboxProvider, type LocalSandboxOptions } from './local-sandbox-provider.js';
export { findLocalUser, type LocalUser } from './local-user.js';
export { type RunnerCommandLine } from './runner-command-line.js';

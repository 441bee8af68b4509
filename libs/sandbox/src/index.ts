export { hostEnvironment } from './local/host-environment.js';
export { LocalSandboxProvider, type LocalSandboxOptions } from './local/local-sandbox-provider.js';
export { findLocalUser, type LocalUser } from './local/local-user.js';
export { type RunnerCommandLine } from './local/runner-command-line.js';

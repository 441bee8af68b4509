export { hostEnvironment } from './host-environment.js';
export { LocalSandboxProvider, type LocalSandboxOptions } from './local-sandbox-provider.js';
export { type RunnerCommandLine } from './runner-process.js';

export { WorkingDirectoryError } from './errors.js';
export { hostEnvironment } from './host-environment.js';
export { LocalSandboxProvider, type LocalSandboxOptions } from './local-sandbox-provider.js';
export { compiledRunner, type RunnerCommandLine } from './runner-process.js';

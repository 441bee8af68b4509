import { isAbsolute } from 'node:path/posix';
import type { SandboxProviderKind } from '../dto/run-sandbox.js';
import type { RunEnvironmentSettings } from '../dto/settings/environment-settings.js';
import { result, type PreflightCheck } from './check.js';

export const sandboxProviderPolicy: PreflightCheck = ({ settings, providers }) => {
  const { id, provider } = settings.run.environment;
  const name = 'Sandbox Provider Policy';
  if (providers.includes(provider)) return result(name, 'pass', `Sandboxes of ${provider} are allowed here.`);
  return result(name, 'error', `Environment "${id}" needs sandboxes of ${provider}, which this server does not have.`, {
    remediation: `Use an environment whose provider is ${providers.join(' or ')}.`,
  });
};

type Hint = 'resources' | 'disk' | 'labels' | 'auto_stop' | 'dockerfile' | 'cwd';

/** What a provider cannot do, and passes over. */
const IGNORED: Readonly<Record<SandboxProviderKind, readonly Hint[]>> = {
  local: ['resources', 'labels', 'auto_stop'],
  docker: ['disk', 'labels', 'auto_stop', 'dockerfile', 'cwd'],
  cloud: ['cwd'],
};

const IS_SET: Readonly<Record<Hint, (environment: RunEnvironmentSettings) => boolean>> = {
  resources: ({ resources: { cpu, memory, disk } }) => [cpu, memory, disk].some((value) => value !== null),
  disk: ({ resources }) => resources.disk !== null,
  labels: ({ labels }) => Object.keys(labels).length > 0,
  auto_stop: ({ lifecycle }) => lifecycle.auto_stop !== null,
  dockerfile: ({ image }) => image.dockerfile !== null,
  cwd: ({ cwd }) => typeof cwd === 'string',
};

export const environmentCapabilities: PreflightCheck = ({ settings: { run } }) => {
  const { environment } = run;
  const name = 'Environment Capabilities';
  const ignored = IGNORED[environment.provider].filter((hint) => IS_SET[hint](environment));
  if (ignored.length === 0) return result(name, 'pass', `All of environment "${environment.id}" is in force.`);
  return result(name, 'warning', `Parts of environment "${environment.id}" have no effect.`, {
    reasons: ignored.map((hint) => `Sandboxes of ${environment.provider} do not know ${hint}.`),
    remediation: 'Remove them, or use another provider.',
  });
};

/** A local sandbox is a directory of the worker's machine; whether it is there only the worker sees. */
export const sandbox: PreflightCheck = ({ manifest, settings: { run } }) => {
  const name = 'Sandbox';
  const { provider, cwd } = run.environment;
  if (provider !== 'local') return result(name, 'pass', `The sandbox is made by ${provider}.`);
  const directory = cwd ?? manifest.cwd;
  if (isAbsolute(directory)) return result(name, 'pass', `Commands work in ${directory}.`);
  return result(name, 'error', `There is nowhere to work: "${directory}" is not an absolute path.`, {
    remediation: 'Send the absolute path of a directory as cwd.',
  });
};

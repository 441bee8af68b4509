import { hideEnvironment } from './hidden-environment.js';
import { readSecretFiles } from './secret-files.js';

/**
 * What a server process does with its environment before anything else: secrets are read from the files that it names,
 * once, and nobody else may read it from then on. Throws a {@link ConfigError} for a file that cannot be relied on.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv = process.env): void {
  const given = ['RUNYARD_DEV_TOKEN', 'DATABASE_URL', 'AWS_SECRET_ACCESS_KEY'].filter((name) => env[name]);
  Object.assign(env, readSecretFiles(env));
  if (hideEnvironment() || given.length === 0) return;
  const files = given.map((name) => `${name}_FILE`).join(', ');
  process.stderr.write(`Commands of local runs may read the environment of this server. Give secrets by ${files}.\n`);
}

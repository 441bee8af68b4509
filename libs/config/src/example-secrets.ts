import { ConfigError } from './errors.js';

/** Variables that carry a secret. */
const SECRET = ['DATABASE_URL', 'REDIS_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
/** What the example files have where a secret belongs. */
const EXAMPLE = /change[-_]?me/i;

/** Everybody can read the examples: what still has one of their secrets does not start. Throws a {@link ConfigError}. */
export function refuseExamples(env: NodeJS.ProcessEnv): void {
  const unchanged = SECRET.filter((name) => EXAMPLE.test(env[name] ?? ''));
  if (unchanged.length === 0) return;
  throw new ConfigError(
    `${unchanged.join(' and ')} still ${unchanged.length === 1 ? 'has' : 'have'} the secret of an example. Give one of your own: openssl rand -hex 24.`,
  );
}

import { ConfigError, homeOf, parseSettings, serverConfig, takeEnvironment } from '#libs/config';
import { applyMigrations } from '#libs/persistence';
import { endWith, MIGRATIONS } from '#libs/server-runtime';

/**
 * Brings the schema of DATABASE_URL up to date and ends. Servers do the same when they start; a deploy that does it first
 * keeps a long migration out of their time to start. Any number of them at once, and once more, are harmless.
 */
async function main(): Promise<void> {
  takeEnvironment();
  const { databaseUrl } = serverConfig(homeOf(process.env), parseSettings('', 'defaults'), process.env);
  if (databaseUrl === null) throw new ConfigError('DATABASE_URL is not set.');
  const applied = await applyMigrations(databaseUrl, MIGRATIONS);
  process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
}

main().catch(endWith);

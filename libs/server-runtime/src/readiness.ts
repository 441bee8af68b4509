import { messageOf } from '#libs/kernel';
import { isStandby, missingMigrations, type Database } from '#libs/persistence';
import type { RunBell } from '#libs/scheduling';
import { remembered } from './remembered.js';

/** The probe that a listener waits for goes round every five seconds. */
const HEARD_WITHIN_MS = 30_000;
const SHARED_MS = 1_000;

interface Standing {
  database: Database;
  /** The migrations that have to be applied. */
  migrations: readonly string[];
  /** The bell when Redis carries it: a dead connection to it is noticed by nothing else. */
  bell: RunBell | null;
}

/**
 * Whether this process can do its work now: the database answers, takes writes and has the schema, and, where it hears the bell on
 * Redis, a job really came round through the connection it hears with. A process that only rings needs no Redis for its
 * work, so it stays ready without it. Being alive is another question, which the answer to any request answers.
 */
export class Readiness {
  private isEnding = false;
  private readonly ofDatabase: () => Promise<string[]>;

  constructor(private readonly standing: Standing) {
    this.ofDatabase = remembered(SHARED_MS, () => databaseFaults(standing));
  }

  /** From now on it is not ready, so that nobody sends anything more. */
  end(): void {
    this.isEnding = true;
  }

  /** Why the process is not ready, in sentences; empty when it is. Asks the database at most once a second. */
  async faults(): Promise<string[]> {
    if (this.isEnding) return ['This process is ending.'];
    return [...(await this.ofDatabase()), ...this.queueFaults()];
  }

  private queueFaults(): string[] {
    const agoMs = this.standing.bell?.heardAgoMs() ?? 0;
    if (agoMs <= HEARD_WITHIN_MS) return [];
    const since = agoMs === Infinity ? 'yet' : `for ${Math.round(agoMs / 1_000)} s`;
    return [`No job came round through the queue ${since}.`];
  }
}

async function databaseFaults({ database, migrations }: Standing): Promise<string[]> {
  try {
    if (await isStandby(database)) return ['The database is a standby that nobody promoted: it only reads.'];
    const missing = await missingMigrations(database, migrations);
    return missing.map((name) => `Migration "${name}" is not applied to the database.`);
  } catch (thrown) {
    return [`The database does not answer as it should: ${messageOf(thrown)}`];
  }
}

import type { Database } from '../database.js';
import { StoredDefinitions, type DefinitionKey } from './definitions.js';
import { insertRuns, type Insertion, type PreparedRun } from './create-runs.js';

/** Stores runs, and remembers which definitions are stored with them, so that these are not sent again. */
export class RunInsertions {
  private readonly known = new StoredDefinitions();

  /** One commit for all. A batch may name the same id or key twice; only its first bearer can be stored by it. */
  async insertBatch(database: Database, runs: readonly PreparedRun[]): Promise<Insertion[]> {
    const firsts = firstBearers(runs);
    const { results } = await this.remembering((known) => insertRuns(database, firsts, known));
    const inserted = new Map(firsts.map((prepared, i) => [prepared, results[i]!]));
    return runs.map((prepared) => inserted.get(prepared) ?? { kind: 'taken' });
  }

  /** Does work that stores runs, and remembers what it stored once it is committed; nothing when it throws. */
  async remembering<T extends { definitions: readonly DefinitionKey[] }>(
    work: (known: Pick<StoredDefinitions, 'has'>) => Promise<T>,
  ): Promise<T> {
    const done = await work(this.known);
    for (const { tenantId, sha256 } of done.definitions) this.known.add(tenantId, sha256);
    return done;
  }

  /** Inserts a run, and again with both its definitions when one was remembered that is stored no more. */
  async withDefinitions<T extends { kind: string }>(
    prepared: PreparedRun,
    insert: (prepared: PreparedRun) => Promise<T>,
  ): Promise<T> {
    const inserted = await insert(prepared);
    if (inserted.kind !== 'undefined') return inserted;
    return insert({ ...prepared, bringsDefinitions: true });
  }
}

function firstBearers(runs: readonly PreparedRun[]): PreparedRun[] {
  const seen = new Set<string>();
  return runs.filter(({ run: { tenantId, runId, idempotency } }) => {
    const id = `id ${tenantId} ${runId}`;
    const key = `key ${tenantId} ${idempotency?.key ?? ''}`;
    if (seen.has(id) || (idempotency !== null && seen.has(key))) return false;
    seen.add(id).add(key);
    return true;
  });
}

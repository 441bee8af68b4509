import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import { DEFAULT_TENANT, SystemClock, type RunId } from '#libs/kernel';
import {
  Database,
  DefinitionMissingError,
  encodeDefinition,
  removeUnusedDefinitions,
  RunIdTakenError,
  RunLedger,
  type NewRun,
} from '#libs/persistence';
import { LossyWire } from '../support/lossy-wire.js';
import {
  aNewRun,
  aSpec,
  firstEvents,
  runDatabase,
  someone,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

const SECRET = 'the goal that nobody may read';

/** A run of a manifest and a spec that no other text gives. */
function aRunOf(text: string, more: Parameters<typeof aNewRun>[0] = {}): NewRun {
  const spec = encodeDefinition(JSON.stringify({ ...aSpec, settings: { run: { goal: text } } }));
  const manifest = encodeDefinition(`manifest ${text}`);
  return { ...aNewRun(more), manifest, spec, events: firstEvents('A run', manifest.sha256, spec.sha256) };
}

describe('The definitions of runs', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  beforeAll(async () => {
    db = await runDatabase(16);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await db.sql('TRUNCATE definitions, definitions_to_check');
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
    ledger = db.ledger();
  });

  const stored = async (): Promise<number> =>
    (await db.sql<{ count: number }>('SELECT count(*)::int AS count FROM definitions'))[0]!.count;
  /** Runs of which a definition is missing. */
  const bereft = () =>
    db.sql(`SELECT id FROM runs r WHERE (SELECT count(DISTINCT sha256) FROM definitions d
             WHERE d.tenant_id = r.tenant_id AND d.sha256 IN (r.manifest_sha256, r.spec_sha256)) < 2`);
  const hourPasses = () => db.sql(`UPDATE definitions SET retired_at = retired_at - interval '61 minutes'`);
  async function removeUnused(): Promise<void> {
    await removeUnusedDefinitions(db.database);
    await hourPasses();
    await removeUnusedDefinitions(db.database);
  }

  async function anEndedRun(run = aNewRun()): Promise<RunKey> {
    const [key] = await started(ledger, [run]);
    await ledger.changeBy(key!, async () => ({ events: [theEnd()], slot: 'none' }));
    return key!;
  }

  describe('a run is stored with both of them, or not at all', () => {
    it('after a retry with the same ones was refused', async () => {
      const [live] = await started(ledger, [aNewRun()]);
      await expect(ledger.retry(live!, aRunOf('edited'), someone)).rejects.toMatchObject({ kind: 'conflict' });
      expect((await ledger.create(aRunOf('edited'))).view).not.toBeNull();
      expect(await bereft()).toEqual([]);
    });

    it.each(['request', 'reply'] as const)('by a retry whose COMMIT lost its %s', async (loss) => {
      const lossy = await LossyWire.to(db.connectionString);
      const wired = new Database({ ...lossy, maxConnections: 2, applicationName: 'wired' });
      const other = new RunLedger(wired, db.signals, new SystemClock(), db.cold);
      const source = await anEndedRun();
      lossy.wire.lose(loss, 'COMMIT');
      const retried = aRunOf('edited');
      const { runId } = await other.retry(source, retried, someone);
      expect([runId, lossy.wire.hasLost]).toEqual([retried.runId, true]);
      await other.create(aRunOf('edited'));
      expect(await bereft()).toEqual([]);
      expect(await db.sql('SELECT id FROM runs')).toHaveLength(3);
      expect(await ledger.head(retried)).toMatchObject({ status: 'starting', lastSeq: 5 });
      await wired.close();
      lossy.wire.close();
    });

    it('by a process that last sent them before they were removed', async () => {
      await ledger.create(aRunOf('a'));
      await ledger.create(aRunOf('b'));
      await db.sql('DELETE FROM definitions');
      const runs = [aRunOf('a'), aRunOf('b'), aRunOf('c'), aRunOf('a')];
      const created = await Promise.all(runs.map((run) => ledger.create(run)));
      expect(created.every(({ view }) => view !== null)).toBe(true);
      const ids = runs.map(({ runId }) => runId);
      expect((await bereft()).filter(({ id }: { id?: RunId }) => ids.includes(id!))).toEqual([]);
      const source = await anEndedRun(aRunOf('c'));
      await db.sql('DELETE FROM definitions');
      const retried = aRunOf('c');
      await ledger.retry(source, retried, someone);
      expect((await bereft()).map(({ id }: { id?: RunId }) => id)).not.toContain(retried.runId);
    });

    it('when an id or a key is taken by another request, which leaves nothing for long', async () => {
      const run = aRunOf('a', { idempotencyKey: 'k' });
      await ledger.create(run);
      await expect(ledger.create(aRunOf('b', { runId: run.runId }))).rejects.toBeInstanceOf(RunIdTakenError);
      await expect(ledger.create(aRunOf('c', { idempotencyKey: 'k' }))).rejects.toBeInstanceOf(RunIdTakenError);
      await removeUnused();
      expect(await stored()).toBe(2);
      expect(await bereft()).toEqual([]);
    });
  });

  describe('go with the last run that was made of them', () => {
    it('and nothing of its goal and its inputs is left', async () => {
      const [first, last] = [aRunOf(SECRET), aRunOf(SECRET)];
      await ledger.create(first);
      await ledger.create(last);
      await ledger.remove(first);
      await removeUnused();
      expect(await ledger.spec(last)).toMatchObject({ settings: { run: { goal: SECRET } } });
      await ledger.remove(last);
      await removeUnused();
      const tables = await db.sql<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
      );
      const digests = [last.manifest.sha256, last.spec.sha256];
      for (const { name } of tables) {
        const rows = await db.sql<{ text: string }>(
          name === 'definitions'
            ? `SELECT convert_from(body, 'UTF8') || sha256 AS text FROM definitions`
            : `SELECT t::text AS text FROM ${name} t`,
        );
        const traces = rows.filter(({ text }) => [SECRET, ...digests].some((trace) => text.includes(trace)));
        expect({ name, traces }).toEqual({ name, traces: [] });
      }
    });

    it('not within the hour in which a version that knows nothing of it may be deployed', async () => {
      const run = aRunOf('a');
      await ledger.create(run);
      await ledger.remove(run);
      await removeUnusedDefinitions(db.database);
      await removeUnusedDefinitions(db.database);
      expect(await db.sql('SELECT FROM definitions WHERE retired_at IS NOT NULL')).toHaveLength(2);
    });

    it('unless somebody makes another meanwhile', async () => {
      const run = aRunOf('a');
      await ledger.create(run);
      await ledger.remove(run);
      await removeUnusedDefinitions(db.database);
      await ledger.create(aRunOf('a'));
      await hourPasses();
      await removeUnusedDefinitions(db.database);
      expect(await db.sql('SELECT FROM definitions WHERE retired_at IS NULL')).toHaveLength(2);
    });

    it('unless a run was made by a statement that still saw them in use', async () => {
      await ledger.create(aRunOf('a'));
      await db.sql(`UPDATE definitions SET retired_at = now() - interval '2 hours'`);
      await removeUnusedDefinitions(db.database);
      expect(await db.sql('SELECT FROM definitions WHERE retired_at IS NULL')).toHaveLength(2);
    });

    it('without a wait for whoever has them locked', async () => {
      const run = aRunOf('a');
      await ledger.create(run);
      await ledger.remove(run);
      const holder = await db.session();
      await holder.query('BEGIN; SELECT FROM definitions FOR UPDATE');
      await removeUnusedDefinitions(db.database);
      await holder.query('COMMIT');
      await holder.end();
      expect(await db.sql('SELECT FROM definitions WHERE retired_at IS NULL')).toHaveLength(2);
    });

    it('never too early, whoever creates, retries and removes at the same moment', async () => {
      const ledgers = [ledger, db.ledger(), db.ledger()];
      const text = () => `text ${Math.floor(Math.random() * 4)}`;
      const source = await anEndedRun();
      let going = true;
      const chores = (async () => {
        while (going) {
          await removeUnusedDefinitions(db.database);
          // An hour is longer than any statement takes; here, longer than any of these does.
          await db.sql(`UPDATE definitions SET retired_at = retired_at - interval '1 hour'
                         WHERE retired_at < now() - interval '1 second'`);
        }
      })();
      await Promise.all(
        ledgers.map(async (one) => {
          for (let round = 0; round < 60; round++) {
            const run = aRunOf(text());
            if (round % 5 === 0) await one.retry(source, run, someone);
            else await one.create(run);
            expect((await bereft()).map(({ id }: { id?: RunId }) => id)).toEqual([]);
            await one.remove({ tenantId: DEFAULT_TENANT, runId: run.runId });
          }
        }),
      );
      going = false;
      await chores;
      await removeUnused();
      expect(await stored()).toBe(2);
    });
  });

  it('are missed in words when a run outlived them', async () => {
    const [run] = await started(ledger, [aRunOf('a')]);
    await db.sql('DELETE FROM definitions');
    const other = db.ledger();
    await expect(other.spec(run!)).rejects.toBeInstanceOf(DefinitionMissingError);
    await expect(other.spec(run!)).rejects.toMatchObject({ kind: 'missing', code: 'definition_missing' });
    expect(await other.readLog(run!, 1, 10)).toHaveLength(5);
  });
});

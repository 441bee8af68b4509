import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LeaseLostError, type Lease, type Release, type RunKey } from '#libs/engine';
import { Database, DatabaseUnavailableError, PgRunStore, RunLedger } from '#libs/persistence';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import {
  aNewRun,
  aNotice,
  anEvent,
  expireLease,
  runDatabase,
  started,
  storedLog,
  type RunDatabase,
} from '../support/run-database.js';
import { LossyWire } from '../support/lossy-wire.js';
import { stretched } from '../support/stretched.js';
import { until } from '../support/until.js';

const FIRST = 6;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('An append whose reply was lost', () => {
  let db: RunDatabase;
  let wire: LossyWire;
  let wired: Database;
  let store: PgRunStore;
  beforeAll(async () => {
    db = await runDatabase(6);
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
    const lossy = await LossyWire.to(db.connectionString);
    wire = lossy.wire;
    wired = new Database({
      connectionString: lossy.connectionString,
      maxConnections: 4,
      applicationName: 'wired',
    });
    store = new PgRunStore(wired, wired, 'ann', db.signals, db.clock);
  });
  afterAll(async () => {
    await wired.close();
    wire.close();
    await db.close();
  });

  async function driven(count: number): Promise<Lease[]> {
    const runs = await started(
      db.ledger(),
      Array.from({ length: count }, () => aNewRun()),
    );
    const claims = await store.claim('ann', count, runs);
    return claims.map(({ lease }) => lease);
  }

  async function oneRun(): Promise<Lease> {
    const [lease] = await driven(1);
    return lease!;
  }

  const idsIn = async (lease: Lease) => (await storedLog(db, lease)).slice(FIRST - 1).map(({ id }) => id);

  it.each([1, 2, 1_500])('is found, not stored again, when it was committed: %d events', async (count) => {
    const lease = await oneRun();
    const events = Array.from({ length: count }, (_, i) => aNotice(`${i}`));
    wire.lose('reply', 'append');
    expect(await store.append(lease, { events })).toEqual({ base: FIRST, pendingControl: null });
    expect(wire.hasLost).toBe(true);
    expect(await idsIn(lease)).toEqual(events.map(({ id }) => id));
  });

  it('is found when it had no events', async () => {
    const lease = await oneRun();
    wire.lose('reply', 'append');
    expect(await store.append(lease, { events: [] })).toMatchObject({ base: FIRST });
    expect(await idsIn(lease)).toEqual([]);
  });

  it('is found although others appended after it', async () => {
    const lease = await oneRun();
    const event = aNotice('a');
    wire.lose('reply', 'append', () => db.ledger().changeBy(lease, async () => ({ events: [aNotice('other')] })));
    expect(await store.append(lease, { events: [event] })).toMatchObject({ base: FIRST });
    const ids = await idsIn(lease);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(event.id);
  });

  it('is settled for every run that shared its commit', async () => {
    const leases = await driven(20);
    const events = leases.map(() => aNotice('a'));
    wire.lose('reply', 'append');
    const appends = leases.map((lease, i) => store.append(lease, { events: [events[i]!] }));
    expect((await Promise.all(appends)).map(({ base }) => base)).toEqual(leases.map(() => FIRST));
    expect(await Promise.all(leases.map(idsIn))).toEqual(events.map(({ id }) => [id]));
  });

  it('is stored once though its first sending is still under way when it is sent again', async () => {
    const lease = await oneRun();
    const blocker = await db.session();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM run_heads WHERE run_id = $1 FOR UPDATE', [lease.runId]);
    const blocked = async (): Promise<number> => {
      const rows = await db.sql(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'wired' AND wait_event_type = 'Lock'`);
      return rows.length;
    };
    const events = [aNotice('a'), aNotice('b')];
    wire.lose('request', 'append');
    const append = store.append(lease, { events });
    await until(async () => (await blocked()) === 2, 'both sendings wait for the run');
    await blocker.query('COMMIT');
    await blocker.end();
    expect(await append).toMatchObject({ base: FIRST });
    expect(await idsIn(lease)).toEqual(events.map(({ id }) => id));
  });

  it('is stored once though its first sending arrives when later ones are stored', async () => {
    const lease = await oneRun();
    const [a, b, c] = [aNotice('a'), aNotice('b'), aNotice('c')];
    const heldUp = wire.holdUp('append');
    expect(await store.append(lease, { events: [a] })).toMatchObject({ base: FIRST });
    expect(await store.append(lease, { events: [b] })).toMatchObject({ base: FIRST + 1 });
    const deliver = await heldUp;
    await deliver();
    expect(await idsIn(lease)).toEqual([a.id, b.id]);
    expect(await store.append(lease, { events: [c] })).toMatchObject({ base: FIRST + 2 });
  });

  it('is stored once though its first sending arrives when others appended, and the worker under a lock', async () => {
    const lease = await oneRun();
    const [a, other, locked, b] = [aNotice('a'), aNotice('other'), aNotice('locked'), aNotice('b')];
    const heldUp = wire.holdUp('append');
    expect(await store.append(lease, { events: [a] })).toMatchObject({ base: FIRST });
    await db.ledger().changeBy(lease, async () => ({ events: [other] }));
    await store.appendLocked(lease, FIRST, () => [locked]);
    const deliver = await heldUp;
    await deliver();
    expect(await store.append(lease, { events: [b] })).toMatchObject({ base: FIRST + 3 });
    expect(await idsIn(lease)).toEqual([a.id, other.id, locked.id, b.id]);
  });

  it('is refused when another epoch took the run', async () => {
    const lease = await oneRun();
    await expireLease(db, lease);
    await db.store('ben').claim('ben', 1, [lease]);
    wire.lose('reply', 'append');
    const append = store.append(lease, { events: [aNotice('a')] });
    await expect(append).rejects.toBeInstanceOf(LeaseLostError);
    expect(await idsIn(lease)).toEqual([]);
  });

  it("is in nobody's way for long: all leases are renewed while a process is cut off with the lock of one head", async () => {
    const leases = await driven(2);
    const heldUp = wire.holdUp('write-heads');
    const wiredLedger = new RunLedger(wired, db.signals, db.clock, db.cold);
    const note = () => ({ events: [aNotice('a')], result: undefined });
    await expect(wiredLedger.note([leases[0]!], note)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await heldUp;
    const cutOffMs = performance.now();
    const ann = db.store('ann');
    const renewed = (): Promise<number> =>
      ann.renew('ann', leases).then(
        ({ size }) => size,
        () => 0,
      );
    await until(async () => (await renewed()) === 2, 'the leases are renewed');
    expect(performance.now() - cutOffMs).toBeLessThan(stretched(4_000));
  });

  it('is neither stored twice nor lost while connections are cut under twelve writers', async () => {
    const leases = await driven(12);
    const acknowledged = leases.map(() => new Map<string, number>());
    const errors: unknown[] = [];
    let on = true;
    const writers = leases.map(async (lease, writer) => {
      while (on) {
        const events = [aNotice('a'), aNotice('b')];
        try {
          const { base } = await store.append(lease, { events });
          events.forEach(({ id }, i) => acknowledged[writer]!.set(id, base + i));
        } catch (thrown) {
          errors.push(thrown);
        }
      }
    });
    const few = (): boolean => acknowledged.some(({ size }) => size <= 20);
    for (let round = 0; round < 20 || few(); round++) {
      await pause(60);
      await db.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'wired'`);
    }
    on = false;
    await Promise.all(writers);

    expect(errors.filter((error) => !(error instanceof DatabaseUnavailableError))).toEqual([]);
    for (const [writer, lease] of leases.entries()) {
      const log = await storedLog(db, lease);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
      expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
      const places = new Map(log.map(({ id, seq }) => [id, seq]));
      const acks = [...acknowledged[writer]!];
      expect(acks.length).toBeGreaterThan(20);
      expect(acks.filter(([id, seq]) => places.get(id) !== seq)).toEqual([]);
    }
  });

  describe('A release whose reply was lost', () => {
    const parking = (): Release => ({
      events: [anEvent({ event: 'run.parked', properties: {} })],

      slot: 'parked',
      wakeAt: null,
      state: null,
    });

    it.each([
      { what: 'reply', statement: 'COMMIT' },
      { what: 'reply', statement: 'release-runs' },
      { what: 'request', statement: 'BEGIN' },
    ] as const)('is stored once and told so when the $what of its $statement is lost', async ({ what, statement }) => {
      const lease = await oneRun();
      const release = parking();
      wire.lose(what, statement);
      expect(await store.release(lease, release)).toEqual({ released: true });
      expect(wire.hasLost).toBe(true);
      expect(await idsIn(lease)).toEqual(release.events.map(({ id }) => id));
    });

    it('is stored when the database was away for a while', async () => {
      const lease = await oneRun();
      const release = parking();
      const proxy = await TcpProxy.before(db.connectionString);
      const connectionString = proxy.urlOf(db.connectionString);
      const away = new Database({ connectionString, maxConnections: 2, applicationName: 'away' });
      proxy.refuse();
      setTimeout(() => proxy.heal(), 1_000);
      const released = new PgRunStore(away, away, 'ann', db.signals, db.clock).release(lease, release);
      expect(await released).toEqual({ released: true });
      expect(await idsIn(lease)).toEqual(release.events.map(({ id }) => id));
      await away.close();
      await proxy.close();
    });

    it('is refused when another epoch took the run', async () => {
      const lease = await oneRun();
      await expireLease(db, lease);
      await db.store('ben').claim('ben', 1, [lease]);
      wire.lose('reply', 'COMMIT');
      await expect(store.release(lease, parking())).rejects.toBeInstanceOf(LeaseLostError);
    });
  });

  describe('A claim whose reply was lost', () => {
    const aHeldRun = async (): Promise<RunKey> => (await started(db.ledger(), [aNewRun()]))[0]!;

    it('is undone by the next one, whatever that one looks for: no worker counts as lost', async () => {
      await aHeldRun();
      for (let epoch = 1; epoch <= 4; epoch++) {
        wire.lose('reply', 'claim-any');
        await expect(store.claim('ann', 1)).rejects.toBeInstanceOf(DatabaseUnavailableError);
        expect(await store.claim('ann', 1, [])).toEqual([]);
      }
      expect(await store.claim('ann', 1)).toMatchObject([{ lease: { epoch: 5 }, epochsWithoutProgress: 0 }]);
    });

    it('is undone when it was committed after it had been looked for', async () => {
      const run = await aHeldRun();
      const heldUp = wire.holdUp('claim-any');
      await expect(store.claim('ann', 1)).rejects.toBeInstanceOf(DatabaseUnavailableError);
      expect(await store.claim('ann', 0)).toEqual([]);
      const deliver = await heldUp;
      await deliver();
      expect(await db.store('ben').claim('ben', 1, [run])).toEqual([]);
      expect(await store.claim('ann', 1)).toMatchObject([{ lease: run, epochsWithoutProgress: 0 }]);
    });

    it('takes no run from a worker that has claimed it since', async () => {
      const run = await aHeldRun();
      wire.lose('reply', 'claim-any');
      await expect(store.claim('ann', 1)).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expireLease(db, run);
      const [taken] = await db.store('ben').claim('ben', 1, [run]);
      expect(await store.claim('ann', 1)).toEqual([]);
      expect(await db.store('ben').append(taken!.lease, { events: [aNotice('a')] })).toMatchObject({ base: FIRST });
    });
  });

  it('does not keep a run from being given back: while the database is away that is sent again, and no worker is lost', async () => {
    const leases = await driven(2);
    const proxy = await TcpProxy.before(db.connectionString);
    const connectionString = proxy.urlOf(db.connectionString);
    const away = new Database({ connectionString, maxConnections: 2, applicationName: 'away' });
    const ann = new PgRunStore(away, away, 'ann', db.signals, db.clock);
    proxy.refuse();
    setTimeout(() => proxy.heal(), 1_000);
    const [givenUp] = await Promise.all([
      ann.giveUp(leases[0]!, { kind: 'unavailable', cause: 'no route', hasGotOn: false }),
      ann.quarantine(leases[1]!, 'nobody can read it'),
    ]);
    expect(givenUp).toEqual({ givenUp: true });
    const runIds = leases.map(({ runId }) => runId);
    const slots = 'SELECT slot FROM run_heads WHERE run_id = ANY($1) ORDER BY slot';
    expect(await db.sql(slots, [runIds])).toEqual([{ slot: 'none' }, { slot: 'parked' }]);
    await away.close();
    await proxy.close();
  });
});

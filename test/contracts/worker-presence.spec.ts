import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedRun, RunKey } from '#libs/engine';
import { applyMigrations, Database, Reaper, WorkerPresence, type PresenceOptions } from '#libs/persistence';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import { startPostgres, type PostgresServer } from '../support/embedded-postgres.js';
import {
  aNewRun,
  expireLease,
  MIGRATIONS,
  openRunDatabase,
  runDatabase,
  started,
  type RunDatabase,
} from '../support/run-database.js';
import { until } from '../support/until.js';

/** SQL: the locks that sessions of workers hold in this database. */
const PRESENCE_LOCKS = `
SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const presences: WorkerPresence[] = [];
async function announced(
  connectionString: string,
  workerId: string,
  options: PresenceOptions = {},
): Promise<WorkerPresence> {
  const presence = new WorkerPresence(connectionString, workerId, options);
  presences.push(presence);
  await presence.announce();
  return presence;
}

/** A worker that died: it is registered and has no session. */
async function dead(db: RunDatabase, workerId: string): Promise<void> {
  await db.sql('INSERT INTO workers (id) VALUES ($1)', [workerId]);
}

/** Breaks the session of a worker that lives, and waits until PostgreSQL has buried it. */
async function endSession(db: RunDatabase, workerId: string): Promise<void> {
  const name = `runyard presence ${workerId}`;
  const ended = await db.sql<{ pid: number }>(
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = $1 AND datname = current_database()`,
    [name],
  );
  const pids = ended.map(({ pid }) => pid);
  const isGone = async (): Promise<boolean> =>
    (await db.sql('SELECT FROM pg_stat_activity WHERE pid = ANY($1)', [pids])).length === 0;
  await until(isGone, 'the session is gone');
}

async function held(db: RunDatabase, owner: string, count: number): Promise<RunKey[]> {
  const runs = await started(
    db.ledger(),
    Array.from({ length: count }, () => aNewRun()),
  );
  await db.store(owner).claim(owner, count, runs);
  return runs;
}

const workers = async (db: RunDatabase) =>
  (await db.sql<{ id: string }>('SELECT id FROM workers ORDER BY id')).map(({ id }) => id);

/** Two looks a while apart: what the second one finds. */
async function lookTwice(reaper: Reaper): Promise<number> {
  await reaper.look();
  await pause(200);
  return reaper.look();
}

describe('Worker presence', () => {
  let db: RunDatabase;
  beforeAll(async () => {
    db = await runDatabase();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await Promise.all(presences.splice(0).map((presence) => presence.close()));
    await db.sql('DELETE FROM workers');
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
  });

  it('keeps the leases of workers that are there', async () => {
    await announced(db.connectionString, 'ann');
    await held(db, 'ann', 2);
    const reaper = new Reaper(db.database);
    expect([await reaper.look(), await lookTwice(reaper)]).toEqual([0, 0]);
    expect(await workers(db)).toEqual(['ann']);
  });

  it('sees a death in two looks, ends its leases, and only those', async () => {
    await dead(db, 'ann');
    await announced(db.connectionString, 'ben');
    const lost = await held(db, 'ann', 3);
    const kept = await held(db, 'ben', 2);
    const reaper = new Reaper(db.database);
    expect(await reaper.look()).toBe(0);
    expect(await db.store('cat').claim('cat', 10)).toEqual([]);
    expect(await reaper.look()).toBe(3);
    const claims = await db.store('cat').claim('cat', 10, [...lost, ...kept]);
    expect(claims.map(({ lease }) => lease.runId).sort()).toEqual(lost.map(({ runId }) => runId).sort());
    expect(claims.every(({ wasLost }) => wasLost)).toBe(true);
    expect(await reaper.look()).toBe(0);
  });

  it('does not take a session that broke for a death', async () => {
    await announced(db.connectionString, 'ann');
    await held(db, 'ann', 1);
    const reaper = new Reaper(db.database);
    for (let n = 0; n < 3; n++) {
      await endSession(db, 'ann');
      expect(await lookTwice(reaper)).toBe(0);
    }
  });

  it('does not take a lock that was missing once for a death', async () => {
    await dead(db, 'ann');
    await held(db, 'ann', 1);
    const reaper = new Reaper(db.database);
    expect(await reaper.look()).toBe(0);
    await announced(db.connectionString, 'ann');
    const isBack = async (): Promise<boolean> => (await db.sql(PRESENCE_LOCKS)).length === 1;
    await until(isBack, 'the worker takes its lock again');
    expect([await reaper.look(), await reaper.look()]).toEqual([0, 0]);
  });

  it('lets a worker back that was taken for dead', async () => {
    await announced(db.connectionString, 'ann');
    await db.sql('DELETE FROM workers');
    await endSession(db, 'ann');
    await until(async () => (await workers(db)).length === 1, 'the worker registers again');
    await held(db, 'ann', 1);
    expect(await lookTwice(new Reaper(db.database))).toBe(0);
  });

  it('spares a worker that came back between the looks and the end of its leases', async () => {
    await dead(db, 'ann');
    await held(db, 'ann', 1);
    const returning = {
      query: async <Row>(...args: Parameters<typeof db.database.query>): Promise<Row[]> => {
        const rows = await db.database.query<Row>(...args);
        if (args[0].name === 'look-for-missing-workers' && ++looks === 2) await announced(db.connectionString, 'ann');
        return rows;
      },
    };
    let looks = 0;
    const reaper = new Reaper(returning as typeof db.database);
    await reaper.look();
    expect(await reaper.look()).toBe(0);
    expect(await workers(db)).toEqual(['ann']);
  });

  it('forgets a worker that left: it did not die', async () => {
    const presence = await announced(db.connectionString, 'ann');
    await held(db, 'ann', 1);
    await presence.close();
    expect(await workers(db)).toEqual([]);
    expect(await db.store('ben').claim('ben', 1)).toMatchObject([{ lease: { epoch: 2 }, wasLost: false }]);
    expect(await lookTwice(new Reaper(db.database))).toBe(0);
    await pause(600);
    expect(await workers(db)).toEqual([]);
  });

  it('tells when it cannot be announced, and tries no further', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const nowhere = Object.assign(new URL(db.connectionString), { port }).href;
    await expect(announced(nowhere, 'ann')).rejects.toThrow();
    await pause(700);
    server.close();
    expect(connections).toBe(1);
  });

  it('stays away when it is closed while it comes back', async () => {
    const presence = await announced(db.connectionString, 'ann');
    await endSession(db, 'ann');
    const returning = presence.announce();
    await presence.close();
    await returning;
    await pause(300);
    expect(await workers(db)).toEqual([]);
    const sessions = `SELECT FROM pg_stat_activity WHERE application_name = 'runyard presence ann'`;
    expect(await db.sql(sessions)).toEqual([]);
  });

  it('registers again when somebody removed its registration', async () => {
    await announced(db.connectionString, 'ann', { pulseEveryMs: 50 });
    await db.sql('DELETE FROM workers');
    await until(async () => (await workers(db)).length === 1, 'the worker registers again');
    expect(await lookTwice(new Reaper(db.database))).toBe(0);
  });

  it('finds out that its session has died without a word, and opens another one', async () => {
    const proxy = await TcpProxy.before(db.connectionString);
    await announced(proxy.urlOf(db.connectionString), 'ann', { pulseEveryMs: 50 });
    proxy.forget();
    await endSession(db, 'ann');
    const isBack = async (): Promise<boolean> => (await db.sql(PRESENCE_LOCKS)).length === 1;
    await until(isBack, 'the worker takes its lock again');
    await held(db, 'ann', 1);
    expect(await lookTwice(new Reaper(db.database))).toBe(0);
    await Promise.all(presences.splice(0).map((presence) => presence.close()));
    await proxy.close();
  });

  it('opens another session while PostgreSQL holds the lock of the one that broke', async () => {
    const proxy = await TcpProxy.before(db.connectionString);
    const first = await announced(proxy.urlOf(db.connectionString), 'ann', { pulseEveryMs: 50 });
    proxy.forget();
    const numbers = () => db.sql<{ lock_number: string }>('SELECT lock_number FROM workers');
    const before = await numbers();
    await until(async () => (await numbers())[0]!.lock_number !== before[0]!.lock_number, 'the worker registers anew');
    expect(await db.sql(PRESENCE_LOCKS)).toHaveLength(2);
    expect(await lookTwice(new Reaper(db.database))).toBe(0);
    await first.close();
    expect(await workers(db)).toEqual([]);
    await proxy.close();
  });

  it('spares a worker whose renewals are connected, and no longer', async () => {
    await db.sql("INSERT INTO workers (id, renewals_name) VALUES ('ann', 'renewals of ann')");
    await held(db, 'ann', 1);
    const renewals = new Database({
      connectionString: db.connectionString,
      maxConnections: 1,
      applicationName: 'renewals of ann',
    });
    await renewals.ping();
    const reaper = new Reaper(db.database);
    expect([await lookTwice(reaper), await reaper.look()]).toEqual([0, 0]);
    await renewals.close();
    await until(async () => (await reaper.look()) === 1, 'the leases end with the last session');
  });

  it('sees the dead of its own database only', async () => {
    const other = await runDatabase();
    await dead(db, 'ann');
    await held(db, 'ann', 1);
    await announced(other.connectionString, 'ann');
    expect(await lookTwice(new Reaper(other.database))).toBe(0);
    await Promise.all(presences.splice(0).map((presence) => presence.close()));
    await other.close();
  });

  // The last one: it waits until PostgreSQL is 30 s old, and the others take a part of that.
  it('forgets a worker that did not come back after a restart of the server, once it had the time', async () => {
    await db.sql("INSERT INTO workers (id, postmaster_started_at) VALUES ('ann', now() - interval '1 day')");
    const reaper = new Reaper(db.database);
    const isGone = async (): Promise<boolean> => (await reaper.look(), (await workers(db)).length === 0);
    await until(isGone, 'the worker is forgotten', 40_000);
    const [server] = await db.sql<{ age: number }>(
      'SELECT extract(epoch FROM now() - pg_postmaster_start_time())::int AS age',
    );
    expect(server!.age).toBeGreaterThanOrEqual(30);
  }, 45_000);
});

describe('Worker presence over a restart of PostgreSQL', () => {
  let server: PostgresServer;
  let db: RunDatabase;
  const answers = (): Promise<boolean> =>
    db.database.ping().then(
      () => true,
      () => false,
    );
  beforeAll(async () => {
    server = await startPostgres();
    await applyMigrations(server.connectionString, MIGRATIONS);
    db = openRunDatabase({ connectionString: server.connectionString, drop: async () => undefined });
  });
  afterAll(async () => {
    await Promise.all(presences.splice(0).map((presence) => presence.close()));
    await db.close();
    await server.remove();
  });

  it('keeps the leases of living workers, and still sees who dies afterwards', async () => {
    await announced(server.connectionString, 'ann');
    const runs = await held(db, 'ann', 2);
    const reaper = new Reaper(db.database);
    await reaper.look();
    await server.kill();
    await expect(reaper.look()).rejects.toMatchObject({ kind: 'unavailable' });
    await server.start();
    await until(answers, 'the database answers');

    const looks: number[] = [];
    for (let n = 0; n < 12; n++) {
      looks.push(await reaper.look());
      await pause(100);
    }
    expect(looks).toEqual(looks.map(() => 0));
    const [alive] = await db.sql<{ alive: number }>(
      'SELECT count(*)::int AS alive FROM run_heads WHERE lease_expires_at > now()',
    );
    expect(alive).toEqual({ alive: runs.length });

    const registered = async (): Promise<boolean> =>
      (await db.sql('SELECT FROM workers WHERE postmaster_started_at = pg_postmaster_start_time()')).length === 1;
    await until(registered, 'the worker registers with the new server');
    expect(await lookTwice(reaper)).toBe(0);
    await dead(db, 'zoe');
    await held(db, 'zoe', 2);
    expect(await lookTwice(reaper)).toBe(2);
  });

  it('blames no run for an epoch in which the server restarted', async () => {
    const [run] = await held(db, 'bob', 1);
    await server.kill();
    await server.start();
    await until(answers, 'the database answers');
    const claimAgain = async (): Promise<ClaimedRun> => {
      await expireLease(db, run!);
      const [claim] = await db.store('cid').claim('cid', 1, [run!]);
      return claim!;
    };
    expect(await claimAgain()).toMatchObject({ wasLost: true, epochsWithoutProgress: 0 });
    expect(await claimAgain()).toMatchObject({ wasLost: true, epochsWithoutProgress: 1 });
  });
});

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, DatabaseUnavailableError, unsafeSettings } from '#libs/persistence';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import { LossyWire } from '../support/lossy-wire.js';
import { runDatabase, type RunDatabase } from '../support/run-database.js';
import { until } from '../support/until.js';

const one = { name: 'one', text: 'SELECT 1 AS n' };

describe('A database', () => {
  let db: RunDatabase;
  beforeAll(async () => {
    db = await runDatabase();
  });
  afterAll(() => db.close());

  it('begins a transaction on another connection when the one it got was broken', async () => {
    const { wire, connectionString } = await LossyWire.to(db.connectionString);
    const database = new Database({ connectionString, maxConnections: 2, applicationName: 'wired' });
    wire.lose('request', 'BEGIN');
    expect(await database.transaction((tx) => tx.query(one))).toEqual([{ n: 1 }]);
    expect(wire.hasLost).toBe(true);
    await database.close();
    wire.close();
  });

  it('closes what rests, but for as many connections as it is to keep', async () => {
    const { connectionString } = db;
    const options = { connectionString, maxConnections: 3, restMs: 50, applicationName: 'resting' };
    const [closing, keeping] = [new Database(options), new Database({ ...options, minConnections: 1 })];
    const both = [closing, keeping];
    await Promise.all(both.flatMap((database) => [1, 2, 3].map(() => database.query(one))));
    expect(both.map(({ connections }) => connections.open)).toEqual([3, 3]);
    const rest = (): boolean => closing.connections.open === 0 && keeping.connections.open <= 1;
    await until(rest, 'they rested');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(both.map(({ connections }) => connections.open)).toEqual([0, 1]);
    await Promise.all(both.map((database) => database.close()));
  });

  it('starts no work over once it has begun: only its caller knows whether that is harmless', async () => {
    let rounds = 0;
    const work = db.database.transaction(async (tx) => {
      rounds++;
      const [row] = await tx.query<{ pid: number }>({ name: 'pid', text: 'SELECT pg_backend_pid() AS pid' });
      await db.sql('SELECT pg_terminate_backend($1)', [row!.pid]);
      await tx.query(one);
    });
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(rounds).toBe(1);
  });

  it('is away, and not wrong, when it ended a transaction whose next statement was held up on the way', async () => {
    const proxy = await TcpProxy.before(db.connectionString);
    const connectionString = proxy.urlOf(db.connectionString);
    const database = new Database({ connectionString, maxConnections: 1, applicationName: 'held up' });
    const work = database.transaction(async (tx) => {
      await tx.query({ name: 'patience', text: 'SET LOCAL idle_in_transaction_session_timeout = 100' });
      const [row] = await tx.query<{ pid: number }>({ name: 'pid', text: 'SELECT pg_backend_pid() AS pid' });
      proxy.hang();
      const held = tx.query(one);
      const gone = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE pid = ${row!.pid}`;
      await until(async () => (await db.sql<{ n: number }>(gone))[0]!.n === 0, 'the session was ended');
      proxy.heal();
      await held;
    });
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await database.query(one)).toEqual([{ n: 1 }]);
    await database.close();
    await proxy.close();
  });

  it.each([
    ['off', 'on'],
    ['local', 'on'],
    ['on', 'on'],
    ['remote_write', 'remote_write'],
    ['remote_apply', 'remote_apply'],
  ])('that is set to acknowledge "%s" acknowledges "%s" here', async (setting, expected) => {
    const [{ name }] = (await db.sql<{ name: string }>('SELECT current_database() AS name')) as [{ name: string }];
    await db.sql(`ALTER DATABASE ${name} SET synchronous_commit = '${setting}'`);
    const { connectionString } = db;
    const database = new Database({ connectionString, maxConnections: 1, applicationName: 'durable' });
    const show = { name: 'show', text: "SELECT current_setting('synchronous_commit') AS now" };
    expect(await database.query(show)).toEqual([{ now: expected }]);
    await database.close();
    await db.sql(`ALTER DATABASE ${name} RESET synchronous_commit`);
  });

  it('tells which of its settings lose what it has acknowledged', async () => {
    expect(await unsafeSettings(db.database)).toEqual(['fsync', 'full_page_writes']);
  });

  describe('that is sent a transaction in one go', () => {
    const add = (n: number | null) => ({
      statement: { name: 'add-number', text: 'INSERT INTO numbers VALUES ($1) RETURNING n' },
      values: [n],
      read: (rows: readonly { n: number }[]) => rows.map((row) => row.n),
    });
    const numbers = async () => (await db.sql<{ n: number }>('SELECT n FROM numbers ORDER BY n')).map(({ n }) => n);
    const LOCK = 'LOCK TABLE numbers IN SHARE ROW EXCLUSIVE MODE';
    beforeAll(() =>
      db.sql('CREATE TABLE numbers (n int NOT NULL)').then(() => db.sql('GRANT ALL ON numbers TO PUBLIC')),
    );

    it('stores all of it and gives each query its rows', async () => {
      expect(await db.database.together(LOCK, add(1), add(2))).toEqual([[1], [2]]);
      expect(await numbers()).toEqual([1, 2]);
    });

    it.each([
      ['first', add(null), add(3)],
      ['second', add(3), add(null)],
    ])('stores nothing when the %s query is refused, and says why', async (_, first, second) => {
      await expect(db.database.together(LOCK, first, second)).rejects.toMatchObject({ code: '23502' });
      expect(await numbers()).toEqual([1, 2]);
    });

    it('stores nothing when its opening is refused', async () => {
      await expect(db.database.together('LOCK TABLE nowhere', add(3), add(4))).rejects.toMatchObject({ code: '42P01' });
      expect(await numbers()).toEqual([1, 2]);
    });

    it('is sent it again when another transaction was in the way', async () => {
      await db.sql(`CREATE SEQUENCE tries`);
      await db.sql(`GRANT ALL ON tries TO PUBLIC`);
      await db.sql(`CREATE FUNCTION refuse_once() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN IF nextval('tries') = 1 THEN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END IF; RETURN 1; END $$`);
      await db.database.together('SELECT refuse_once()', add(5), add(6));
      expect(await numbers()).toEqual([1, 2, 5, 6]);
    });

    it('nobody knows whether it was stored when the connection breaks', async () => {
      const { wire, connectionString } = await LossyWire.to(db.connectionString);
      const database = new Database({ connectionString, maxConnections: 2, applicationName: 'wired' });
      wire.lose('reply', 'COMMIT');
      await expect(database.together(LOCK, add(7), add(8))).rejects.toBeInstanceOf(DatabaseUnavailableError);
      expect(wire.hasLost).toBe(true);
      await database.close();
      wire.close();
    });
  });

  describe('that falls silent', () => {
    let server: Server;
    const sockets: Socket[] = [];
    beforeAll(async () => {
      server = createServer((socket) => {
        sockets.push(socket);
        socket.once('data', () => socket.write(greeting));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });

    /** "Authenticated", "ready for queries": the last that is heard of it. */
    const greeting = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

    it('is given up, with the connection, for statements and for transactions', async () => {
      const { port } = server.address() as AddressInfo;
      const connectionString = `postgres://nobody@127.0.0.1:${port}/nothing`;
      const database = new Database({ connectionString, maxConnections: 2, applicationName: 'test', silenceMs: 300 });
      await expect(database.query(one)).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expect(database.transaction((tx) => tx.query(one))).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await until(() => sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded), 'all are closed');
      await database.close();
    });
  });
});

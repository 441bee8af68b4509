import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LeaseLostError } from '#libs/engine';
import {
  applyMigrations,
  Database,
  DatabaseUnavailableError,
  isStandby,
  PgRunStore,
  Reaper,
  WorkerPresence,
  type LostTail,
} from '#libs/persistence';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import { startPostgres, type PostgresServer } from '../support/embedded-postgres.js';
import { startStandbyOf, type Standby } from '../support/postgres-standby.js';
import {
  aNewRun,
  aNotice,
  expireLease,
  MIGRATIONS,
  openRunDatabase,
  started,
  storedLog,
  type RunDatabase,
} from '../support/run-database.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const openOn = ({ connectionString }: PostgresServer): RunDatabase =>
  openRunDatabase({ connectionString, drop: async () => undefined });

async function aPair(): Promise<{ primary: PostgresServer; standby: Standby }> {
  const primary = await startPostgres();
  await applyMigrations(primary.connectionString, MIGRATIONS);
  return { primary, standby: await startStandbyOf(primary) };
}

describe('When a standby takes the place of its primary', () => {
  let primary: PostgresServer;
  let standby: Standby;
  let before: RunDatabase;
  let after: RunDatabase;
  let standbySince: number;
  beforeAll(async () => {
    ({ primary, standby } = await aPair());
    before = openOn(primary);
    after = openOn(standby);
    standbySince = performance.now();
  });
  afterAll(async () => {
    await before.close();
    await after.close();
    await standby.remove();
    await primary.remove();
  });

  it('is away for whoever writes, until it is promoted', async () => {
    await standby.catchUp();
    expect(await Promise.all([before, after].map(({ database }) => isStandby(database)))).toEqual([false, true]);
    await expect(after.ledger().create(aNewRun())).rejects.toBeInstanceOf(DatabaseUnavailableError);
    const pool = new Database({
      connectionString: standby.connectionString,
      maxConnections: 1,
      applicationName: 'one',
    });
    const write = pool.transaction((tx) => tx.query({ name: 'w', text: 'INSERT INTO outbox (kind) VALUES (1)' }));
    await expect(write).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(pool.connections.open).toBe(0);
    await pool.close();
  });

  it('takes no living worker for dead and blames no run', async () => {
    const runs = await started(before.ledger(), [aNewRun(), aNewRun()]);
    const [kept, lost] = runs as [(typeof runs)[0], (typeof runs)[0]];
    const presence = new WorkerPresence(primary.connectionString, 'ann');
    await presence.announce();
    await before.store('ann').claim('ann', 1, [kept]);
    await before.store('bob').claim('bob', 1, [lost]);
    await standby.catchUp();
    // It stands by for longer than anybody has time to come back after a restart.
    await pause(standbySince + 31_000 - performance.now());
    await primary.kill();
    await standby.promote();
    expect(await isStandby(after.database)).toBe(false);

    const reaper = new Reaper(after.database);
    const looks: number[] = [];
    for (let n = 0; n < 5; n++) {
      looks.push(await reaper.look());
      await pause(150);
    }
    expect(looks).toEqual([0, 0, 0, 0, 0]);
    expect(await after.sql('SELECT id FROM workers')).toEqual([{ id: 'ann' }]);

    await expireLease(after, lost);
    const [claim] = await after.store('cid').claim('cid', 1, [lost]);
    expect(claim).toMatchObject({ wasLost: true, epochsWithoutProgress: 0 });
    await expireLease(after, lost);
    const [again] = await after.store('dan').claim('dan', 1, [lost]);
    expect(again).toMatchObject({ wasLost: true, epochsWithoutProgress: 1 });
    await presence.close();
  });
});

describe('When a standby takes over that lags behind', () => {
  it('a worker gives up the run whose end is lost, and another one goes on from what is there', async () => {
    const { primary, standby } = await aPair();
    const proxy = await TcpProxy.before(primary.connectionString);
    const before = openOn(primary);
    const after = openOn(standby);
    const way = new Database({
      connectionString: proxy.urlOf(primary.connectionString),
      maxConnections: 2,
      applicationName: 'worker',
    });
    const lost: LostTail[] = [];
    const store = new PgRunStore(way, way, 'ann', before.signals, before.clock, {
      tailLost: (tail) => void lost.push(tail),
    });
    const [run] = await started(before.ledger(), [aNewRun()]);
    const [claim] = await store.claim('ann', 1, [run!]);
    const { lease, nextSeq } = claim!;
    await store.append(lease, { events: [aNotice('kept')] });
    await standby.catchUp();
    await standby.fallBehind();
    await store.append(lease, { events: [aNotice('lost'), aNotice('lost, too')] });
    await primary.kill();
    await standby.promote();
    proxy.moveTo(standby.connectionString);

    await expect(store.append(lease, { events: [aNotice('next')] })).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toEqual([{ lease, knownSeq: nextSeq + 2, logSeq: nextSeq }]);
    const [taken] = await after.store('ben').claim('ben', 1, [run!]);
    expect(taken).toMatchObject({ lease: { epoch: 2 }, wasLost: true, epochsWithoutProgress: 0 });
    expect((await storedLog(after, run!)).slice(nextSeq - 1).map(({ event }) => event)).toEqual([
      'run.notice',
      'run.notice',
    ]);

    await way.close();
    await proxy.close();
    await before.close();
    await after.close();
    await standby.remove();
    await primary.remove();
  });
});

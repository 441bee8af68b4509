import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { applyMigrations, Database, DatabaseUnavailableError, Reaper, WorkerPresence } from '#libs/persistence';
import { startPostgres, type PostgresServer } from '../support/embedded-postgres.js';
import { startStandbyOf, type Standby } from '../support/postgres-standby.js';
import {
  aNewRun,
  expireLease,
  MIGRATIONS,
  openRunDatabase,
  started,
  type RunDatabase,
} from '../support/run-database.js';
import { until } from '../support/until.js';

jest.setTimeout(60_000);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const openOn = ({ connectionString }: PostgresServer): RunDatabase =>
  openRunDatabase({ connectionString, drop: async () => undefined });

describe('When a standby takes the place of its primary', () => {
  let primary: PostgresServer;
  let standby: Standby;
  let before: RunDatabase;
  let after: RunDatabase;
  let standbySince: number;
  beforeAll(async () => {
    primary = await startPostgres();
    await applyMigrations(primary.connectionString, MIGRATIONS);
    standby = await startStandbyOf(primary);
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

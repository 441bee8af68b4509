import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PgElection } from '#libs/persistence';
import { runDatabase, type RunDatabase } from '../support/run-database.js';
import { until } from '../support/until.js';

describe('The election of one process', () => {
  let db: RunDatabase;
  const standing: PgElection[] = [];
  beforeAll(async () => {
    db = await runDatabase();
  });
  afterEach(async () => {
    for (const election of standing.splice(0)) await election.close();
  });
  afterAll(() => db.close());

  /** Stands for election; what happened to it is in the list. */
  function stand(name: string): { election: PgElection; calls: string[] } {
    const election = new PgElection(db.connectionString, name);
    const calls: string[] = [];
    election.start({ elected: () => calls.push('elected'), lost: () => calls.push('lost') });
    standing.push(election);
    return { election, calls };
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const leads = ({ calls }: { calls: string[] }) => calls.at(-1) === 'elected';
  const soon = (what: string, claim: () => boolean, ms = 3_000) => until(async () => claim(), what, ms);
  const sessionOf = (name: string) => `pg_stat_activity WHERE application_name = '${name} election'`;
  const waits = (name: string) =>
    until(
      async () => (await db.sql(`SELECT FROM ${sessionOf(name)} AND wait_event_type = 'Lock'`)).length === 1,
      `${name} waits`,
    );

  it('names one, and the next one as soon as that one leaves', async () => {
    const ann = stand('ann');
    await soon('ann leads', () => leads(ann));
    const others = [stand('ben'), stand('cyd')];
    await waits('cyd');
    expect(others.flatMap(({ calls }) => calls)).toEqual([]);
    await ann.election.close();
    expect(ann.calls).toEqual(['elected', 'lost']);
    await soon('one of the others leads', () => others.filter(leads).length === 1, 500);
  });

  it('names another within a second when the session of the leader ends, and the first stands by again', async () => {
    const ann = stand('ann');
    await soon('ann leads', () => leads(ann));
    const ben = stand('ben');
    await waits('ben');
    await db.sql(`SELECT pg_terminate_backend(pid) FROM ${sessionOf('ann')}`);
    await soon('ben leads', () => leads(ben), 1_000);
    await soon('ann hears of it', () => ann.calls.length > 1);
    expect(ann.calls).toEqual(['elected', 'lost']);
    await waits('ann');
  });

  it('goes to another when the leader resigns, and comes back when that one leaves', async () => {
    const ann = stand('ann');
    await soon('ann leads', () => leads(ann));
    const ben = stand('ben');
    await waits('ben');
    ann.election.resign();
    await soon('ben leads', () => leads(ben), 1_000);
    await waits('ann');
    await ben.election.close();
    await soon('ann leads again', () => leads(ann), 1_000);
  });

  it('ends the lead of a process that stands still, and keeps that of one that goes on', async () => {
    const ann = stand('ann');
    await soon('ann leads', () => leads(ann));
    await pause(4_000);
    expect(ann.calls).toEqual(['elected']);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);
    await soon('ann lost the lead and has it again', () => ann.calls.join() === 'elected,lost,elected', 5_000);
  });
});

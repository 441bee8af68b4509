import { expect, it } from '@jest/globals';
import { DatabaseUnavailableError, type Database } from '#libs/persistence';
import { InMemoryRunBell } from '../../../test/support/in-memory-run-bell.js';
import { Readiness } from './readiness.js';

const answering = (missing: string[] = []) =>
  ({ queryAgain: async () => missing.map((name) => ({ name })) }) as unknown as Database;
const away = {
  queryAgain: () => Promise.reject(new DatabaseUnavailableError(new Error('ECONNREFUSED'))),
} as unknown as Database;
const readiness = (database: Database, bell: InMemoryRunBell | null = null) =>
  new Readiness({ database, migrations: ['1_runs', '2_more'], bell });

it('is there when the database answers and has every migration', async () => {
  expect(await readiness(answering()).faults()).toEqual([]);
  expect(await readiness(answering(['2_more'])).faults()).toEqual([
    'Migration "2_more" is not applied to the database.',
  ]);
  const standby = { queryAgain: async () => [{ isStandby: true }] } as unknown as Database;
  expect(await readiness(standby).faults()).toEqual([expect.stringContaining('it only reads')]);
  expect(await readiness(away).faults()).toEqual([expect.stringContaining('cannot be reached')]);
});

it('is there in a process that hears the bell once a job came round to it, not because it is connected', async () => {
  const bell = new InMemoryRunBell();
  const ready = readiness(answering(), bell);
  const stop = await bell.listen(1, async () => undefined);
  expect(await ready.faults()).toEqual(['No job came round through the queue yet.']);
  await bell.roundTrip();
  expect(await ready.faults()).toEqual([]);
  await stop();
});

it('needs no queue in a process that only rings', async () => {
  expect(await readiness(answering(), new InMemoryRunBell()).faults()).toEqual([]);
});

it('is over from the moment the process ends', async () => {
  const ready = readiness(answering());
  ready.end();
  expect(await ready.faults()).toEqual(['This process is ending.']);
});

import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import { DEFAULT_TENANT } from '#libs/kernel';
import { AccessTokens, DatabaseUnavailableError, type RunLedger } from '#libs/persistence';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import { aNewRun, runDatabase, started, theEnd, type RunDatabase } from '../support/run-database.js';

const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const AN_HOUR = 3_600_000;

let db: RunDatabase;
let ledger: RunLedger;
let tokens: AccessTokens;
let run: RunKey;
beforeAll(async () => {
  db = await runDatabase();
  ledger = db.ledger();
  tokens = new AccessTokens(db.connectionString);
});
afterAll(async () => {
  await tokens.close();
  await db.close();
});
beforeEach(async () => {
  await db.sql('DELETE FROM access_tokens');
  [run] = (await started(ledger, [aNewRun()])) as [RunKey];
});

it('the token of a run stands for it while it goes on', async () => {
  await tokens.addForRun(FIRST, run, AN_HOUR);
  expect(await tokens.find(FIRST)).toEqual({
    tenantId: DEFAULT_TENANT,
    role: 'operator',
    principal: { kind: 'worker', run_id: run.runId },
  });
  expect(await tokens.find(SECOND)).toBeUndefined();
  await ledger.changeBy(run, async () => ({ events: [theEnd()], slot: 'none' }));
  expect(await tokens.find(FIRST)).toBeUndefined();
});

it('the token of a run has an end of its own, and goes when the next one comes', async () => {
  await tokens.addForRun(FIRST, run, -1);
  expect(await tokens.find(FIRST)).toBeUndefined();
  await tokens.addForRun(SECOND, run, AN_HOUR);
  expect(await tokens.find(SECOND)).toBeDefined();
  expect(await db.sql('SELECT token_sha256 FROM access_tokens')).toEqual([{ token_sha256: SECOND }]);
});

it('the token of a run ends by the clock of the database, not by that of the process', async () => {
  const timers = [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'clearImmediate',
  ] as const;
  const others = ['nextTick', 'performance', 'hrtime', 'queueMicrotask'] as const;
  const at = (ms: number) => jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...timers, ...others] });
  try {
    await tokens.addForRun(FIRST, run, AN_HOUR);
    at(2 * AN_HOUR);
    expect(await tokens.find(FIRST)).toBeDefined();
    await tokens.addForRun(SECOND, run, -1);
    expect(await tokens.find(SECOND)).toBeUndefined();
  } finally {
    jest.useRealTimers();
  }
});

it('the token of a run is removed with it', async () => {
  await tokens.addForRun(FIRST, run, AN_HOUR);
  await ledger.remove(run);
  expect(await db.sql('SELECT token_sha256 FROM access_tokens')).toEqual([]);
});

it('tokens are found together, each for its own holder, until they are removed', async () => {
  const principal = { kind: 'worker', run_id: run.runId } as const;
  await tokens.add(FIRST, { tenantId: DEFAULT_TENANT, role: 'viewer', principal });
  await tokens.addForRun(SECOND, run, AN_HOUR);
  const unknown = 'c'.repeat(64);
  const found = await tokens.findAll([SECOND, unknown, FIRST]);
  expect([...found].map(([sha256, { role }]) => [sha256, role]).toSorted()).toEqual([
    [FIRST, 'viewer'],
    [SECOND, 'operator'],
  ]);
  expect(await tokens.findAll([])).toEqual(new Map());
  for (const sha256 of [FIRST, unknown]) await tokens.remove(sha256);
  expect(await tokens.find(FIRST)).toBeUndefined();
  expect(await tokens.find(SECOND)).toBeDefined();
});

it('a token of a run lets no person in', async () => {
  await tokens.addForRun(FIRST, run, AN_HOUR);
  expect(await tokens.hasAny()).toBe(false);
});

it('nobody is let in or sent away while the database is too busy to look', async () => {
  const session = await db.session();
  await session.query('BEGIN; LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE');
  await expect(tokens.find(FIRST)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await session.end();
  expect(await tokens.find(FIRST)).toBeUndefined();
});

it('nobody is let in or sent away while the database says nothing', async () => {
  const proxy = await TcpProxy.before(db.connectionString);
  const wired = new AccessTokens(proxy.urlOf(db.connectionString), { silenceMs: 300 });
  expect(await wired.find(FIRST)).toBeUndefined();
  proxy.hang();
  await expect(wired.find(FIRST)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  proxy.heal();
  expect(await wired.find(FIRST)).toBeUndefined();
  await wired.close();
  await proxy.close();
});

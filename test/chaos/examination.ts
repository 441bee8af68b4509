import { newUlid } from '#libs/kernel';
import { ColdLogs, Database, RunViews } from '#libs/persistence';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { workflow } from '../support/api-caller.js';
import { faultsIn, runsOf } from '../support/checker.js';
import { InMemoryObjectStore } from '../support/in-memory-object-store.js';
import type { CheckedRun } from '../support/checker/logged-event.js';
import { historyFaults, type History } from './history.js';
import type { Follower } from './follower.js';
import { PersistentClient } from './persistent-client.js';
import { repeatFaults } from './repeats.js';
import type { Report } from './scenario.js';
import { serverErrors } from '../support/server-errors.js';
import type { Site } from './site.js';

const FRESH_RUNS = 20;
const FRESH_MS = 60_000;
const NOTHING_LEFT_MS = 60_000;
/** With fewer acknowledgements than this a trial says nothing. */
const ENOUGH_ACKNOWLEDGED = 0.8;

/** Somebody who followed a run. */
export interface Following {
  runId: string;
  follower: Follower;
}

export interface Evidence {
  history: History;
  followers?: readonly Following[];
  /** Runs that must have succeeded. */
  successes?: Iterable<string>;
  /** Whether a worker that lives may have had to end its commands, since it could not renew its leases. */
  livingMayRepeat?: boolean;
}

/** What must hold of a site once the chaos is over. It stops the site's processes at the end. */
export async function examine(site: Site, evidence: Evidence): Promise<Report> {
  const { history, followers = [], successes = [] } = evidence;
  const faults: string[] = [];
  const freshMs = await freshRuns(site, history);
  if (freshMs === undefined) faults.push(`${FRESH_RUNS} fresh runs are not through within ${FRESH_MS / 1_000} s`);
  faults.push(...(await leftovers(site)));

  const runs = await logsOf(site);
  const logs = new Map(runs.map(({ head, log }) => [head.runId as string, log]));
  faults.push(...serverErrors(site.apis));
  const failed = [...successes].filter((id) => logs.get(id)?.at(-1)?.event !== 'run.completed');
  faults.push(...(await Promise.all(failed.map((id) => failureOf(site, id)))));
  const harmed = new Set(site.workers.flatMap((worker) => [...worker.harmed]));
  const effects = await site.effects.examine((runId, notes) =>
    evidence.livingMayRepeat ? [] : repeatFaults(notes, logs.get(runId) ?? [], harmed),
  );
  faults.push(...(await storedFaults(site)));
  faults.push(...historyFaults(history, logs), ...effects.faults, ...(await streamFaults(site, followers)));
  const share = history.acknowledgedShare;
  return {
    faults,
    ...(share < ENOUGH_ACKNOWLEDGED && {
      voided: `only ${Math.round(share * 100)} % of the operations were acknowledged`,
    }),
    figures: {
      runs: runs.length - FRESH_RUNS,
      events: runs.reduce((sum, { log }) => sum + log.length, 0),
      'take-overs': runs.reduce((sum, { log }) => sum + Math.max(0, epochsIn(log) - 1), 0),
      'unclaimed ms (worst)': Math.max(0, ...runs.map(({ log }) => unclaimedMs(log))),
      commands: effects.begun,
      'cut off': effects.begun - effects.ended,
      operations: history.operations.length,
      acknowledged: `${Math.round(share * 100)} %`,
      '5xx': history.serverFaults,
      'lost replies': history.lostReplies,
      reconnects: followers.reduce((sum, { follower }) => sum + follower.connections - 1, 0),
      'failed drives': count(site, 'A drive failed.'),
      'fresh runs s': freshMs === undefined ? '-' : Math.round(freshMs / 100) / 10,
    },
  };
}

/** How a run ended that should have succeeded. */
async function failureOf(site: Site, runId: string): Promise<string> {
  const [last] = await site.stores.sql<{ event: string; why: string | null }>(
    `SELECT event, body->'properties'->'failure'->'detail'->>'message' AS why
       FROM run_events WHERE run_id = $1 ORDER BY seq DESC LIMIT 1`,
    [runId],
  );
  return `${runId}: it did not succeed, its log ends with ${last?.event ?? 'nothing'}: ${last?.why ?? ''}`;
}

/** How often the processes of a site said something. */
function count({ members }: Site, sentence: string): number {
  return members.reduce((sum, { output }) => sum + output.split(sentence).length - 1, 0);
}

/** How many worker epochs spoke in a log. */
function epochsIn(log: CheckedRun['log']): number {
  return new Set(log.flatMap(({ epoch, event }) => (event === 'run.claimed' ? [epoch] : []))).size;
}

/** How long a run had a slot before its first worker spoke. */
function unclaimedMs(log: CheckedRun['log']): number {
  const starting = log.find(({ event }) => event === 'run.starting');
  const claimed = log.find(({ event }) => event === 'run.claimed');
  return starting && claimed ? Math.round(claimed.storedAtMs - starting.storedAtMs) : 0;
}

/** How long it takes until new runs are through; undefined when they are not in time. */
async function freshRuns(site: Site, history: History): Promise<number | undefined> {
  const client = new PersistentClient(site.urls, site.token, site.directory, history);
  const began = performance.now();
  const source = workflow(`fresh [script="echo fresh"] start -> fresh -> exit`);
  const ids = Array.from({ length: FRESH_RUNS }, () => newUlid(Date.now()));
  await Promise.all(ids.map(async (id) => (await client.create(id, source)) === 'acknowledged' && client.start(id)));
  for (let open = ids; open.length > 0; await sleep(500)) {
    const statuses = await Promise.all(open.map((id) => client.status(id)));
    open = open.filter((_, i) => statuses[i]?.kind !== 'succeeded');
    if (performance.now() - began > FRESH_MS) return undefined;
  }
  return performance.now() - began;
}

/** Slots, leases and processes that are still there a minute after the last run ended. */
async function leftovers(site: Site): Promise<string[]> {
  const held = `SELECT run_id, status, slot, lease_owner FROM run_heads
    WHERE slot <> 'none' OR lease_owner IS NOT NULL OR status NOT IN ('succeeded', 'failed')`;
  const deadline = performance.now() + NOTHING_LEFT_MS;
  let rows = await site.stores.sql<{ run_id: string; status: string; slot: string }>(held);
  while (rows.length > 0 && performance.now() < deadline) {
    await sleep(500);
    rows = await site.stores.sql(held);
  }
  await Promise.all(site.members.map((member) => member.stop()));
  let processes = await site.runners();
  while (processes.length > 0 && performance.now() < deadline) {
    await sleep(500);
    processes = await site.runners();
  }
  return [
    ...rows.map((row) => `${row.run_id}: still ${row.status}, slot ${row.slot}`),
    ...site.members.flatMap(({ stopFaults }) => stopFaults),
    ...(processes.length > 0 ? [`${processes.length} processes are left`] : []),
  ];
}

/** The checker of the house, over everything that is stored. */
async function storedFaults({ stores: { postgres }, limit }: Site): Promise<string[]> {
  const { connectionString } = postgres;
  const database = new Database({ connectionString, maxConnections: 2, applicationName: 'checker' });
  try {
    return await faultsIn(connectionString, {
      views: new RunViews(database, new ColdLogs(new InMemoryObjectStore())),
      limit,
    });
  } finally {
    await database.close();
  }
}

async function logsOf({ stores: { postgres } }: Site): Promise<CheckedRun[]> {
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  try {
    return await runsOf(client);
  } finally {
    await client.end();
  }
}

/** Where a stream is not the log: each event once, in order, from the first to the last. */
async function streamFaults(site: Site, followers: readonly Following[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { runId, follower } of followers) {
    const log = await site.stores.sql<{ seq: number; id: string }>(
      'SELECT seq::int, id::text FROM run_events WHERE run_id = $1 ORDER BY seq',
      [runId],
    );
    const { seen, sawEnd } = follower;
    const wrong = seen.findIndex(({ seq, id }, i) => log[i]?.seq !== seq || log[i]?.id !== id);
    if (wrong >= 0) faults.push(`${runId}: frame ${wrong + 1} of its stream is ${seen[wrong]!.seq}`);
    else if (!sawEnd || seen.length < log.length)
      faults.push(`${runId}: its stream told ${seen.length} of ${log.length}`);
  }
  return faults;
}

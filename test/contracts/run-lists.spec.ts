import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_TENANT, ulidTime, type RunId, type TenantId } from '#libs/kernel';
import {
  Database,
  RunLedger,
  RunReader,
  RunViews,
  type BoardColumn,
  type ListPlace,
  type RunListing,
  type RunOrder,
} from '#libs/persistence';
import { aNewRun, aNotice, runDatabase, type RunDatabase } from '../support/run-database.js';

const BIG = 'big' as TenantId;
const SMALL = 'small' as TenantId;
const MANY = 12_000;
const SHOWN: BoardColumn[] = ['pending', 'runnable', 'initializing', 'running', 'blocked', 'succeeded', 'failed'];

let db: RunDatabase;
let reader: RunReader;
beforeAll(async () => {
  db = await runDatabase(12);
  const views = new RunViews(db.database, db.cold);
  reader = new RunReader(db.database, views);
  const template = aNewRun({ title: 'Template' });
  await db.ledger().create(template);
  for (const [tenant, count] of [
    [BIG, MANY],
    [SMALL, 100],
  ] as const) {
    await db.sql('INSERT INTO tenants (id, name) VALUES ($1, $1)', [tenant]);
    await copies(tenant, count, template.runId);
  }
  await db.sql('VACUUM ANALYZE');
});
afterAll(() => db.close());

const idOf = (n: number) => `${ulidTime(Date.UTC(2026, 0, 1))}${String(n).padStart(16, '0')}` as RunId;

/** As many runs like one: the oldest of them failed, one is blocked, the last half are children of the first, the others have ended well. */
async function copies(tenant: TenantId, count: number, template: RunId): Promise<void> {
  const id = `$1 || lpad(n::text, 16, '0')`;
  const status = `CASE WHEN n <= 50 THEN 'failed' WHEN n = ${count / 2} THEN 'blocked' ELSE 'succeeded' END`;
  const values = [ulidTime(Date.UTC(2026, 0, 1)), tenant, template];
  const of = `FROM generate_series(1, ${count}) n`;
  await db.sql(
    `INSERT INTO runs (tenant_id, id, parent_id, manifest_sha256, spec_sha256, sandbox_provider, engine_version)
     SELECT $2, ${id}, CASE WHEN n > ${count / 2} THEN $1 || lpad('1', 16, '0') END, r.manifest_sha256, r.spec_sha256, 'local', 1
       ${of}, runs r WHERE r.id = $3`,
    values,
  );
  await db.sql(
    `INSERT INTO run_heads (tenant_id, run_id, status, next_seq)
     SELECT $2, ${id}, ${status}, 3 ${of} WHERE $3 <> ''`,
    values,
  );
  await db.sql(
    `INSERT INTO run_views (tenant_id, run_id, version, seq, view, title, workflow, created_at, updated_at)
     SELECT $2, ${id}, v.version, 2, jsonb_set(v.view::jsonb, '{id}', to_jsonb(${id}))::json, md5(n::text), 'Workflow ' || n % 7,
            timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z' - n * interval '1 second'
       ${of}, run_views v WHERE v.run_id = $3`,
    values,
  );
}

const listing = (more: Partial<RunListing> = {}): RunListing => ({
  columns: SHOWN,
  parentId: null,
  order: 'created_at',
  direction: 'desc',
  limit: 20,
  offset: 0,
  ...more,
});

/** All pages of a list. */
async function allOf(tenant: TenantId, more: Partial<RunListing>): Promise<string[]> {
  const ids: string[] = [];
  let after: ListPlace | null = null;
  do {
    const page = await reader.list(tenant, listing({ limit: 1_000, ...more, after }));
    ids.push(...page.runs.map(({ view }) => view.id));
    after = page.next;
  } while (after);
  return ids;
}

const numbered = (from: number, to: number): string[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, i) => idOf(from + i))
    : Array.from({ length: from - to + 1 }, (_, i) => idOf(from - i));

describe('A list, page by page behind its cursor,', () => {
  it('has every run once, the newest first or the oldest', async () => {
    expect(await allOf(BIG, {})).toEqual(numbered(MANY, 1));
    expect(await allOf(SMALL, { direction: 'asc', limit: 7 })).toEqual(numbered(1, 100));
  });

  it('goes through the columns in their order', async () => {
    const failed = numbered(50, 1);
    const byStatus = await allOf(SMALL, { order: 'status', direction: 'asc', limit: 9 });
    expect(byStatus).toEqual([...numbered(100, 51), ...failed]);
    expect(await allOf(BIG, { order: 'status', columns: ['failed', 'blocked'] })).toEqual([...failed, idOf(MANY / 2)]);
  });

  it('has the children of a run, those of some columns too', async () => {
    const parentId = idOf(1);
    expect(await allOf(BIG, { parentId })).toEqual(numbered(MANY, MANY / 2 + 1));
    expect(await allOf(SMALL, { parentId, limit: 7, direction: 'asc' })).toEqual(numbered(51, 100));
    expect(await allOf(BIG, { parentId, columns: ['failed'] })).toEqual([]);
  });

  it.each<RunOrder>(['updated_at', 'elapsed', 'repo', 'title', 'workflow', 'size'])(
    'has the newest 5,000 when it is ordered by %s, each once',
    async (order) => {
      const ids = await allOf(BIG, { order });
      expect([...ids].sort()).toEqual(numbered(MANY - 4_999, MANY));
      expect((await allOf(SMALL, { order, limit: 9 })).sort()).toEqual(numbered(1, 100));
    },
  );

  it('keeps its place while runs come and go', async () => {
    const tenantId = 'moving' as TenantId;
    await db.sql('INSERT INTO tenants (id, name) VALUES ($1, $1)', [tenantId]);
    await copies(
      tenantId,
      100,
      (await db.sql<{ id: RunId }>(`SELECT id FROM runs WHERE tenant_id = 'default'`))[0]!.id,
    );
    const first = await reader.list(tenantId, listing({ limit: 10 }));
    await db.sql('SELECT remove_run($1, $2)', [tenantId, idOf(91)]);
    await db.ledger().create(aNewRun({ tenantId }));
    const second = await reader.list(tenantId, listing({ limit: 10, after: first.next }));
    expect(second.runs.map(({ view }) => view.id)).toEqual(numbered(90, 81));
  });

  it('has runs whose id a client chose where they were created', async () => {
    const tenantId = 'choosing' as TenantId;
    await db.sql('INSERT INTO tenants (id, name) VALUES ($1, $1)', [tenantId]);
    const ledger = db.ledger();
    const ids: string[] = [];
    for (const hours of [0, 20, -20, 0]) {
      const chosen = aNewRun({ tenantId });
      const runId = `${ulidTime(Date.now() + hours * 3_600_000)}${chosen.runId.slice(10)}` as RunId;
      await ledger.create({ ...chosen, runId });
      ids.unshift(runId);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(await allOf(tenantId, { limit: 1 })).toEqual(ids);
  });
});

describe('The total of a list', () => {
  it('is exact up to 10,000, and says when there are more', async () => {
    expect(await reader.list(SMALL, listing())).toMatchObject({ total: 100, isTotalPartial: false });
    expect(await reader.list(BIG, listing())).toMatchObject({ total: 10_000, isTotalPartial: true });
    expect(await reader.list(BIG, listing({ columns: ['failed'] }))).toMatchObject({
      total: 50,
      isTotalPartial: false,
    });
  });
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Rows that the scans of a list read. */
async function rowsRead(tenant: TenantId, more: Partial<RunListing>): Promise<number> {
  const seen: { text: string; values: readonly unknown[] }[] = [];
  const spy = jest.spyOn(db.database, 'query').mockImplementation((async (
    statement: { text: string },
    values: readonly unknown[],
  ) => {
    seen.push({ text: statement.text, values });
    return [];
  }) as never);
  try {
    await reader.list(tenant, listing(more));
  } finally {
    spy.mockRestore();
  }
  const { text, values } = seen[0]!;
  const session = await db.session();
  // A table of this size may be read whole for less; a large one may not.
  await session.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
  const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
    ...values,
  ]);
  await session.end();
  const [row] = rows;
  const count = (plan: Plan): number =>
    (plan['Relation Name'] ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0) +
    (plan.Plans ?? []).reduce((sum, each) => sum + count(each), 0);
  return Math.round(count(row!['QUERY PLAN'][0].Plan));
}

describe('A page', () => {
  const counted = 10_001;
  it.each<[string, Partial<RunListing>, number]>([
    ['of all', {}, counted + 3 * 21],
    ['of a column of which there are few', { columns: ['blocked'] }, 2],
    ['of the oldest runs of another column', { columns: ['failed'] }, 50 + 21],
    ['far behind', { after: { at: 'run', key: idOf(60), place: 0 } }, counted + 3 * 21],
    ['by status', { order: 'status' }, counted + 4 * 21],
    ['by title', { order: 'title' }, counted + 5_051 + 2 * 5_000],
  ])('%s reads no more rows than it shows and counts', async (_what, more, most) => {
    expect(await rowsRead(BIG, more)).toBeLessThanOrEqual(most);
  });
});

it('An append that moves no status updates the head in place', async () => {
  const { connectionString } = db;
  const database = new Database({ connectionString, maxConnections: 1, applicationName: 'test' });
  const ledger = new RunLedger(database, db.signals, db.clock, db.cold);
  const updates = async () => {
    await database.query({ name: 'flush', text: 'SELECT pg_stat_force_next_flush()' });
    const [row] = await db.sql<{ all: number; hot: number }>(
      `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'run_heads'`,
    );
    return row!;
  };
  const run = aNewRun();
  await ledger.create(run);
  const before = await updates();
  for (let n = 0; n < 20; n++) await ledger.note([run], () => ({ events: [aNotice(`${n}`)], result: null }));
  expect(await updates()).toEqual({ all: before.all + 20, hot: before.hot + 20 });
  await database.close();
});

describe('The newest run of a workflow', () => {
  it('is found behind many runs of others, and when there is none', async () => {
    await db.sql(
      `UPDATE run_views SET workflow = 'Nightly-Build', slug = DEFAULT WHERE tenant_id = $1 AND run_id = ANY($2)`,
      [BIG, [idOf(3), idOf(5)]],
    );
    expect(await reader.newestOfWorkflow(BIG, 'nightly_b')).toBe(idOf(5));
    expect(await reader.newestOfWorkflow(BIG, 'workflow 3')).toBe(idOf(MANY - ((MANY - 3) % 7)));
    expect(await reader.newestOfWorkflow(BIG, 'no such one')).toBeUndefined();
    expect(await reader.newestOfWorkflow(DEFAULT_TENANT, 'nightly')).toBeUndefined();
    const named = await reader.workflowsNamed(BIG, 'workflow 3', 3);
    expect(named[0]).toMatchObject({ runId: idOf(MANY - ((MANY - 3) % 7)), workflow: 'Workflow 3', isExact: true });
    expect(await reader.workflowsNamed(BIG, 'nightly', 3)).toMatchObject([{ runId: idOf(5), isExact: false }]);
    expect(await reader.workflowsNamed(DEFAULT_TENANT, 'nightly', 3)).toEqual([]);
  });
});

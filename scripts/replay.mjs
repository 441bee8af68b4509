// `npm run replay`: folds every stored log anew and compares what comes out with the read models and the heads, row by row;
// prints each difference, and ends with 1 when there is one. Nothing is changed. The database is the one of DATABASE_URL,
// else that of the running server of this home.
import pg from 'pg';
import { homeOf, readServerRecord } from '#libs/config';
import { applyToRunView, applyToStageViews, beginRunView, decodeEvent } from '#libs/events';
import { differences } from '#libs/persistence';

const PAGE = 2_000;
/** The status of a run whose log cannot be read. No event says so, and there is nothing to fold. */
const UNREADABLE = 'dead';
const SHOWN = 200;

const db = new pg.Client({ connectionString: await databaseUrl(), application_name: 'runyard-replay' });
await db.connect();
const total = { runs: 0, events: 0, differences: 0, moved: 0 };
const { rows: runs } = await db.query('SELECT tenant_id, run_id FROM run_heads ORDER BY tenant_id, run_id');
for (const run of runs) {
  // One moment of the database for all that is said of a run, which may be going on.
  await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    for await (const difference of replay(run)) report(run, difference);
  } catch (thrown) {
    if (thrown instanceof pg.DatabaseError) throw thrown;
    report(run, `run_events: ${thrown.message}`);
  }
  await db.query('COMMIT');
}
await db.end();
if (total.moved > 0) console.error(`${total.moved} runs left out: their logs lie in the object store`);
console.error(`${total.runs} runs with ${total.events} events folded anew, ${total.differences} differences`);
process.exitCode = total.differences === 0 ? 0 : 1;

function report({ run_id }, difference) {
  total.differences++;
  console.log(`${run_id}  ${difference}`);
}

async function databaseUrl() {
  const url = process.env.DATABASE_URL ?? (await readServerRecord(homeOf(process.env)))?.database_url;
  if (url) return url;
  console.error('There is no database: set DATABASE_URL, or start the server of this home.');
  process.exit(2);
}

/** What the stored rows of a run say otherwise than its log, as far as that lies in the database. */
async function* replay(run) {
  const head = await one('SELECT status, next_seq::int FROM run_heads WHERE tenant_id = $1 AND run_id = $2', run);
  const stored = await one('SELECT seq::int, view FROM run_views WHERE tenant_id = $1 AND run_id = $2', run);
  if (!head || head.status === UNREADABLE) return;
  if (await one('SELECT to_seq FROM cold_logs WHERE tenant_id = $1 AND run_id = $2', run)) {
    total.moved++;
    return;
  }
  if (!stored) yield 'run_views: there is no row';
  total.runs++;

  const stages = new Map();
  let view;
  let last = 0;
  for await (const event of log(run)) {
    if (event.seq !== last + 1) yield `run_events: ${event.seq} follows ${last}`;
    last = event.seq;
    view = view === undefined ? beginRunView(event) : applyToRunView(view, event);
    for (const stage of changedStages(event, stages)) stages.set(stage.id, stage);
    if (event.seq !== stored?.seq) continue;
    yield* say('run_views.view', stored.view, view);
    yield* say('stage_views', await storedStages(run), stageRows(stages));
  }
  total.events += last;
  if (last !== head.next_seq - 1) yield `run_heads.next_seq: ${head.next_seq}, while the log ends with ${last}`;
  yield* say('run_heads.status', head.status, view?.status.kind);
}

function changedStages(event, stages) {
  const open = () => [...stages.values()].filter(({ ended_at }) => ended_at === null);
  return applyToStageViews(event, (id) => stages.get(id), open);
}

async function storedStages(run) {
  const rows = await all(
    'SELECT stage_id, first_seq::int, is_open, view FROM stage_views WHERE tenant_id = $1 AND run_id = $2',
    run,
  );
  return Object.fromEntries(rows.map(({ stage_id, ...row }) => [stage_id, row]));
}

function stageRows(stages) {
  return Object.fromEntries(
    [...stages.values()].map((view) => [view.id, { first_seq: view.first_seq, is_open: view.ended_at === null, view }]),
  );
}

async function* log(run) {
  for (let after = 0; ;) {
    const rows = await all(
      `SELECT seq::int, body::text FROM run_events WHERE tenant_id = $1 AND run_id = $2 AND seq > ${after}
        ORDER BY seq LIMIT ${PAGE}`,
      run,
    );
    for (const { seq, body } of rows) yield decodeEvent(seq, body);
    if (rows.length < PAGE) return;
    after = rows.at(-1).seq;
  }
}

/** Says each difference as a sentence. */
function* say(place, stored, folded) {
  for (const differing of differences(place, stored, folded)) {
    yield `${differing.place}: ${shown(differing.stored)} is stored, ${shown(differing.folded)} is what the log says`;
  }
}

function shown(value) {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN);
}

async function all(text, { tenant_id, run_id }) {
  const { rows } = await db.query(text, [tenant_id, run_id]);
  return rows;
}

async function one(text, run) {
  const [row] = await all(text, run);
  return row;
}

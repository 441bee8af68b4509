import http from 'node:http';

const SCHEMA = `
DROP SCHEMA IF EXISTS floor CASCADE; CREATE SCHEMA floor;
CREATE TABLE floor.runs (id uuid PRIMARY KEY, node text, status text);
CREATE TABLE floor.events (run_id uuid, seq int, type text, body jsonb, at timestamptz DEFAULT now(), PRIMARY KEY (run_id, seq));`;

const GROUP = `
WITH d AS (SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::jsonb[], $5::text[]) AS t(id, seq, type, body, node)),
e AS (INSERT INTO floor.events (run_id, seq, type, body) SELECT id, seq, type, body FROM d),
n AS (INSERT INTO floor.runs (id, status) SELECT id, 'running' FROM d WHERE seq = 0)
UPDATE floor.runs r SET node = d.node, status = CASE WHEN d.type = 'run.completed' THEN 'succeeded' ELSE r.status END
  FROM d WHERE r.id = d.id`;

/**
 * What the hardware and PostgreSQL allow: a hand-written HTTP service that records ten steps a run, each durable before
 * the next begins. `single`: a commit a record. `group`: all records that wait at the same time share a commit.
 */
export async function startFloor(pool, kind, steps = 10) {
  await pool.query(SCHEMA);
  const put = kind === 'group' ? grouped(pool) : (record) => write(pool, [record]);
  const run = async () => {
    const id = crypto.randomUUID();
    await put({ id, seq: 0, type: 'run.created', node: null });
    for (let i = 1; i <= steps; i++) await put({ id, seq: i, type: 'stage.completed', node: `s${i}` });
    await put({ id, seq: steps + 1, type: 'run.completed', node: null });
  };
  const create = () => put({ id: crypto.randomUUID(), seq: 0, type: 'run.created', node: null });
  const server = http.createServer((request, response) => {
    request.resume();
    (request.url === '/create' ? create() : run()).then(
      () => response.end('{}'),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
  const { port } = server.address();
  const post = (path) =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', path, method: 'POST', agent }, (response) =>
        response.resume().on('end', resolve),
      );
      request.on('error', reject);
      request.end('{}');
    });
  return {
    run: () => post('/run'),
    create: () => post('/create'),
    stop: () => {
      agent.destroy();
      server.close();
    },
  };
}

function write(pool, records) {
  return pool.query({
    name: 'floor',
    text: GROUP,
    values: [
      records.map(({ id }) => id),
      records.map(({ seq }) => seq),
      records.map(({ type }) => type),
      records.map(({ node }) => JSON.stringify({ node })),
      records.map(({ node }) => node),
    ],
  });
}

function grouped(pool, writers = 2) {
  let waiting = [];
  let flying = 0;
  const flush = async () => {
    if (flying >= writers || waiting.length === 0) return;
    flying++;
    const batch = waiting;
    waiting = [];
    try {
      await write(
        pool,
        batch.map(({ record }) => record),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      flying--;
      void flush();
    }
  };
  return (record) =>
    new Promise((resolve, reject) => {
      waiting.push({ record, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
    });
}

// Fills a database with runs that are like one that was really executed: its rows, copied by the database itself under other
// ids. The first tenant has all but ten runs of each of the others.

const OTHERS_HAVE = 10;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** SQL: the ULID of run `n` of a number of them, which were created one after the other until an hour ago. */
const ULID = `(SELECT string_agg(substr('${ALPHABET}', ((ms >> (5 * (9 - i))) & 31)::int + 1, 1), '' ORDER BY i)
  FROM generate_series(0, 9) i) || lpad(n::text, 16, '0')`;

export async function loadAtSize(pool, { runs, tenants, template, days = 60 }) {
  const client = await pool.connect();
  const sql = (text, values) => client.query(text, values);
  try {
    await sql("RESET ROLE; SET statement_timeout = 0; SET synchronous_commit = off; SET work_mem = '256MB'");
    await sql(
      `INSERT INTO tenants (id, name) SELECT 'tenant-' || n, 'Tenant ' || n FROM generate_series(1, $1::int - 1) n`,
      [tenants],
    );
    await sql(`
CREATE TEMP TABLE loaded AS
SELECT n, at, ${ULID} AS id, CASE WHEN n % greatest(${runs} / (${OTHERS_HAVE} * greatest(${tenants} - 1, 1)), 1) = 0 AND ${tenants} > 1
       THEN 'tenant-' || (n % (${tenants} - 1) + 1) ELSE 'default' END AS tenant
  FROM (SELECT n, at, (extract(epoch FROM at) * 1000)::bigint AS ms
          FROM (SELECT n, now() - interval '1 hour' - (${runs} - n) * (interval '${days} days' / ${runs}) AS at FROM generate_series(1, ${runs}) n) s) m`);
    await sql('CREATE TEMP TABLE template AS SELECT * FROM runs WHERE id = $1', [template]);
    await sql(`DO $$ DECLARE m date; BEGIN
      FOR m IN SELECT generate_series(date_trunc('month', now() - interval '${days} days'), now(), interval '1 month')::date LOOP
        PERFORM ensure_event_partition(m); END LOOP; END $$`);
    await copy(sql, runs);
    await sql('ANALYZE');
  } finally {
    client.release(true);
  }
  await pool.query('VACUUM');
}

/** Of a hundred runs, two have failed, the others ended well; every thousandth has a child of the first run. */
async function copy(sql, runs) {
  const id = 'replace(%::text, t.id, l.id)';
  const own = (column) => id.replace('%', column);
  await sql(`
INSERT INTO runs (tenant_id, id, created_at, parent_id, manifest_sha256, spec_sha256, source_directory, sandbox_provider, engine_version)
SELECT l.tenant, l.id, l.at, CASE WHEN l.n % 1000 = 0 THEN (SELECT id FROM loaded WHERE n = 1) END, t.manifest_sha256, t.spec_sha256,
       t.source_directory, t.sandbox_provider, t.engine_version FROM loaded l, template t`);
  await sql(`
INSERT INTO run_heads (tenant_id, run_id, status, next_seq, lease_epoch, last_event_at)
SELECT l.tenant, l.id, CASE WHEN l.n % 50 = 7 THEN 'failed' ELSE h.status END, h.next_seq, h.lease_epoch, l.at + interval '1 minute'
  FROM loaded l, template t JOIN run_heads h ON h.run_id = t.id`);
  await sql(`
INSERT INTO run_views (tenant_id, run_id, version, seq, view, title, workflow, repository, created_at, updated_at, started_at, completed_at)
SELECT l.tenant, l.id, v.version, v.seq, ${own('v.view')}::json, v.title || ' ' || md5(l.n::text), 'Workflow ' || l.n % 500, 'git@host:' || l.n % 37,
       l.at, l.at + interval '1 minute', l.at, l.at + (l.n % 600) * interval '1 second'
  FROM loaded l, template t JOIN run_views v ON v.run_id = t.id`);
  await sql(`
INSERT INTO stage_views (tenant_id, run_id, stage_id, first_seq, is_open, view)
SELECT l.tenant, l.id, s.stage_id, s.first_seq, s.is_open, s.view FROM loaded l, template t JOIN stage_views s ON s.run_id = t.id`);
  const AT_ONCE = 100_000;
  for (let from = 0; from < runs; from += AT_ONCE) {
    await sql(
      `INSERT INTO run_events (tenant_id, run_id, seq, id, event, epoch, ts, stored_at, body)
       SELECT l.tenant, l.id, e.seq, e.id, e.event, e.epoch, l.at, l.at, ${own('e.body')}::json
         FROM loaded l, template t JOIN run_events e ON e.run_id = t.id WHERE l.n > $1 AND l.n <= $2`,
      [from, from + AT_ONCE],
    );
  }
  await sql(`INSERT INTO definitions (tenant_id, sha256, body)
    SELECT o.id, d.sha256, d.body FROM tenants o, definitions d, template t WHERE d.tenant_id = t.tenant_id AND o.id <> t.tenant_id ON CONFLICT DO NOTHING`);
  await sql(
    `INSERT INTO idempotency_keys (tenant_id, key, run_id, created_at) SELECT tenant, 'key ' || n, id, at FROM loaded`,
  );
}

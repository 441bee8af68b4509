import type { Statement } from '../database.js';

/** A range of the primary key: no character of an id comes after "~". */
export const findByPrefix: Statement = {
  name: 'find-by-prefix',
  text: `
SELECT run_id AS "runId" FROM run_views
 WHERE tenant_id = $1 AND run_id >= $2 AND run_id < $2::text || '~' ORDER BY run_id LIMIT $3`,
};

/** Runs, and after them workflows, that a text is looked for in. */
const LOOKED_THROUGH = 10_000;

// Names are compared as they are and without dashes and underscores; a text of nothing else is in no name.
const TYPED = `s AS (SELECT lower($2::text) AS typed, translate(lower($2::text), '-_', '') AS plain)`;
const IS_MEANT = `(lower(v.slug) = s.typed OR strpos(lower(v.workflow), s.typed) > 0
        OR (s.plain <> '' AND strpos(translate(lower(v.workflow), '-_', ''), s.plain) > 0))`;
const NEWEST = 'ORDER BY v.created_at DESC, v.run_id DESC LIMIT 1';
const IS_EXACT = '(lower(v.slug) = s.typed OR lower(v.workflow) = s.typed)';
const NAMED = `v.run_id AS "runId", coalesce(v.slug, '') AS slug, v.workflow, ${IS_EXACT} AS "isExact"`;
const EXACT_THEN_NEWEST = `ORDER BY ${IS_EXACT} DESC, v.created_at DESC, v.run_id DESC`;

export const findAmongNewest: Statement = {
  name: 'find-among-newest-runs',
  text: `
WITH ${TYPED}
SELECT v.run_id AS "runId"
  FROM (SELECT run_id, slug, workflow, created_at FROM run_views WHERE tenant_id = $1
         ORDER BY created_at DESC, run_id DESC LIMIT ${LOOKED_THROUGH}) v CROSS JOIN s
 WHERE ${IS_MEANT} ${NEWEST}`,
};

/** Descendants that a text is looked for in, and the generations they may be away. */
const DESCENDANTS = 1_000;
const GENERATIONS = 100;

// Nearer generations come first, so a wide family costs no more than a page of it.
const WITH_DESCENDANTS = `
WITH RECURSIVE ${TYPED},
line(id, generation) AS (
  SELECT $3::text COLLATE "C", 0
  UNION ALL
  SELECT r.id, line.generation + 1 FROM line JOIN runs r ON r.tenant_id = $1 AND r.parent_id = line.id
   WHERE line.generation < ${GENERATIONS}),
v AS (
  SELECT v.run_id, v.slug, v.workflow, v.created_at FROM (SELECT id FROM line LIMIT ${DESCENDANTS}) l
    JOIN run_views v ON v.tenant_id = $1 AND v.run_id = l.id)`;

export const findPrefixAmongDescendants: Statement = {
  name: 'find-prefix-among-descendants',
  text: `${WITH_DESCENDANTS}
SELECT v.run_id AS "runId" FROM v WHERE starts_with(v.run_id, $2) ORDER BY v.run_id LIMIT $4`,
};

export const findWorkflowAmongDescendants: Statement = {
  name: 'find-workflow-among-descendants',
  text: `${WITH_DESCENDANTS}
SELECT v.run_id AS "runId" FROM v CROSS JOIN s WHERE ${IS_MEANT} ${NEWEST}`,
};

export const nameWorkflowsAmongDescendants: Statement = {
  name: 'name-workflows-among-descendants',
  text: `${WITH_DESCENDANTS}
SELECT ${NAMED} FROM (
  SELECT DISTINCT ON (workflow, coalesce(slug, '')) * FROM v
   ORDER BY workflow, coalesce(slug, ''), created_at DESC, run_id DESC) v CROSS JOIN s
 WHERE ${IS_MEANT} ${EXACT_THEN_NEWEST} LIMIT $4`,
};

const OF_WORKFLOW = `SELECT workflow, coalesce(slug, '') AS slug, created_at, run_id FROM run_views WHERE tenant_id = $1`;
const BY_WORKFLOW = `ORDER BY workflow, coalesce(slug, ''), created_at DESC, run_id DESC LIMIT 1`;

// Jumps from workflow to workflow through their index, each time to its newest run.
const WITH_WORKFLOWS = `
WITH RECURSIVE ${TYPED},
w AS (
  (${OF_WORKFLOW} ${BY_WORKFLOW})
  UNION ALL
  SELECT n.* FROM w CROSS JOIN LATERAL (
    ${OF_WORKFLOW} AND (workflow, coalesce(slug, '')) > (w.workflow, w.slug) ${BY_WORKFLOW}) n)`;

export const findAmongWorkflows: Statement = {
  name: 'find-among-workflows',
  text: `${WITH_WORKFLOWS}
SELECT v.run_id AS "runId" FROM (SELECT * FROM w LIMIT ${LOOKED_THROUGH}) v CROSS JOIN s
 WHERE ${IS_MEANT} ${NEWEST}`,
};

/** The newest run of each workflow that is meant: of those of the newest runs, and of the first thousands by name. */
export const nameWorkflows: Statement = {
  name: 'name-workflows',
  text: `${WITH_WORKFLOWS},
recent AS (
  SELECT workflow, coalesce(slug, '') AS slug, created_at, run_id FROM run_views WHERE tenant_id = $1
   ORDER BY created_at DESC, run_id DESC LIMIT ${LOOKED_THROUGH})
SELECT ${NAMED} FROM (
  (SELECT * FROM w LIMIT ${LOOKED_THROUGH})
  UNION
  (SELECT DISTINCT ON (workflow, slug) * FROM recent ORDER BY workflow, slug, created_at DESC, run_id DESC)) v CROSS JOIN s
 WHERE ${IS_MEANT} ${EXACT_THEN_NEWEST} LIMIT $3`,
};

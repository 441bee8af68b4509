import type { Statement } from '../database.js';

/** A range of the primary key: no character of an id comes after "~". */
export const findByPrefix: Statement = {
  name: 'find-by-prefix',
  text: `
SELECT run_id AS "runId" FROM run_views
 WHERE tenant_id = $1 AND run_id >= $2 AND run_id < $2::text || '~' ORDER BY run_id LIMIT $3`,
};

/** Names are compared as they are and without dashes and underscores; a text of nothing else is in no name. */
export const findByWorkflow: Statement = {
  name: 'find-by-workflow',
  text: `
WITH s AS (SELECT lower($2::text) AS typed, translate(lower($2::text), '-_', '') AS plain)
SELECT v.run_id AS "runId" FROM run_views v CROSS JOIN s
 WHERE v.tenant_id = $1
   AND (lower(v.slug) = s.typed OR strpos(lower(v.workflow), s.typed) > 0
        OR (s.plain <> '' AND strpos(translate(lower(v.workflow), '-_', ''), s.plain) > 0))
 ORDER BY v.created_at DESC, v.run_id DESC LIMIT 1`,
};

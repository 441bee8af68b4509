import type { Database, Statement } from '../database.js';

/** Definitions that are looked at together. */
const AT_ONCE = 500;

/** Whether a run of `definition` exists, as SQL. */
const isUsed = (definition: string): string => `(
  EXISTS (SELECT FROM runs r WHERE r.tenant_id = ${definition}.tenant_id AND r.manifest_sha256 = ${definition}.sha256)
  OR EXISTS (SELECT FROM runs r WHERE r.tenant_id = ${definition}.tenant_id AND r.spec_sha256 = ${definition}.sha256))`;

// Nobody waits: who holds a definition at this moment sends it, and uses it or has it looked at again.
const retireUnused: Statement = {
  name: 'retire-unused-definitions',
  text: `
WITH c AS (
  DELETE FROM definitions_to_check
   WHERE id IN (SELECT id FROM definitions_to_check ORDER BY id LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
  RETURNING tenant_id, sha256),
l AS MATERIALIZED (
  SELECT d.tenant_id, d.sha256 FROM definitions d JOIN (SELECT DISTINCT tenant_id, sha256 FROM c) c USING (tenant_id, sha256)
   WHERE d.retired_at IS NULL AND NOT ${isUsed('d')}
     FOR NO KEY UPDATE OF d SKIP LOCKED),
r AS (
  UPDATE definitions d SET retired_at = now() FROM l WHERE d.tenant_id = l.tenant_id AND d.sha256 = l.sha256)
SELECT count(*) AS count FROM c`,
};

// A run may have been made while its definition was retired, by a statement that began before: it keeps its definition.
const removeRetired: Statement = {
  name: 'remove-retired-definitions',
  text: `
WITH l AS MATERIALIZED (
  SELECT tenant_id, sha256 FROM definitions WHERE retired_at < now() - interval '1 hour'
   ORDER BY retired_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED),
g AS MATERIALIZED (SELECT l.*, ${isUsed('l')} AS is_used FROM l),
u AS (
  UPDATE definitions d SET retired_at = NULL FROM g
   WHERE d.tenant_id = g.tenant_id AND d.sha256 = g.sha256 AND g.is_used),
x AS (
  DELETE FROM definitions d USING g WHERE d.tenant_id = g.tenant_id AND d.sha256 = g.sha256 AND NOT g.is_used)
SELECT count(*) AS count FROM g`,
};

/**
 * Removes what no run was made of any more, in any process, any number of times. First a definition is retired: whoever
 * makes a run of it from then on sends it again. It is deleted an hour later, when every statement is over that saw it in
 * use, and no sooner than a deploy takes: the version before sends nothing again that it knows.
 */
export async function removeUnusedDefinitions(database: Database): Promise<void> {
  for (const statement of [retireUnused, removeRetired]) {
    for (let count = AT_ONCE; count === AT_ONCE;) {
      [{ count }] = (await database.query<{ count: number }>(statement)) as [{ count: number }];
    }
  }
}

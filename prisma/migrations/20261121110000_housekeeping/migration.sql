-- Archived runs are read-only: the mark lies beside the status, under the same lock.
ALTER TABLE run_heads ADD COLUMN archived_at timestamptz;

-- A run may get another parent at any time; nothing else about it is ever rewritten.
GRANT UPDATE (parent_id) ON runs TO runyard_app;

-- What runs are found and ordered by, beside what is in columns already.
ALTER TABLE run_views
  ADD COLUMN slug text GENERATED ALWAYS AS (view -> 'workflow' ->> 'slug') STORED,
  ADD COLUMN cost_usd_micros numeric GENERATED ALWAYS AS ((view -> 'billing' ->> 'total_usd_micros')::numeric) STORED;

-- The views say more than before: at seq 0 their next reader folds them again from the log.
DELETE FROM stage_views;
UPDATE run_views SET seq = 0;

-- So does the state of the engine: the next worker folds it from the log.
DELETE FROM run_snapshots;

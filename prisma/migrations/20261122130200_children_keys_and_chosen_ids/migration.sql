-- Children from the newest on.
CREATE INDEX runs_children ON runs (tenant_id, parent_id, coalesce(created_key, id) DESC) WHERE parent_id IS NOT NULL;
DROP INDEX runs_parent;

-- Keys are forgotten from the oldest on, some thousand at a time, and removed with their run.
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_run ON idempotency_keys (tenant_id, run_id);

-- Whether the default partition caught ids of a month is asked by id, without regard to tenants.
CREATE INDEX run_events_default_run ON run_events_default (run_id);

-- A month is attached without a look at every row that the default partition caught in the past, of ids of a far future
-- for instance: this says once what is not among them. An empty partition needs no such promise.
DO $$
DECLARE
  ahead constant text := ulid_floor((date_trunc('month', now()) + interval '1 month')::date);
  beyond text;
BEGIN
  IF NOT EXISTS (SELECT FROM run_events_default) THEN RETURN; END IF;
  SELECT coalesce(min(run_id), '~') INTO beyond FROM run_events_default WHERE run_id >= ahead;
  EXECUTE format('ALTER TABLE run_events_default ADD CONSTRAINT run_events_default_gap CHECK (run_id < %L OR run_id >= %L)',
    ahead, beyond);
END $$;

-- As before, and beside it: a statement that took too long made no month, which is tried again.
CREATE OR REPLACE FUNCTION ensure_event_partition(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '250ms' AS $$
DECLARE
  most constant integer := 100000;
  from_month constant date := date_trunc('month', month)::date;
  name constant text := 'run_events_' || to_char(from_month, 'YYYYMM');
  least constant text := ulid_floor(from_month);
  beyond constant text := ulid_floor((from_month + interval '1 month')::date);
BEGIN
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  -- Whoever changes partitions waits for others who do; those who read and write do not.
  LOCK TABLE run_events IN SHARE UPDATE EXCLUSIVE MODE;
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  IF (SELECT count(*) FROM (SELECT FROM run_events_default WHERE run_id >= least AND run_id < beyond LIMIT most + 1) r) > most THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE run_events INCLUDING ALL)', name);
  EXECUTE format('WITH r AS (DELETE FROM run_events_default WHERE run_id >= %L AND run_id < %L RETURNING *) INSERT INTO %I SELECT * FROM r',
    least, beyond, name);
  EXECUTE format('ALTER TABLE run_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, least, beyond);
EXCEPTION
  WHEN lock_not_available THEN NULL; -- the next turn tries again
  WHEN query_canceled THEN NULL;     -- so does it here
  WHEN check_violation THEN NULL;    -- the default partition caught one more just now; the next turn moves it
END $$;

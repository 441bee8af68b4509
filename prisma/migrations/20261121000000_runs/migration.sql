-- Tenants, tokens, runs, their logs and what is folded from them.
-- The owner of this schema migrates and deletes; the role runyard_app reads and writes, and may only add to the log.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'runyard_app') THEN
    CREATE ROLE runyard_app NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster made it meanwhile
END $$;

-- The owner connects as runyard_app. A superuser may anyway; another owner has to be told so.
DO $$
BEGIN
  EXECUTE format('GRANT runyard_app TO %I', current_user);
EXCEPTION WHEN insufficient_privilege THEN NULL; -- somebody else made the role, and has granted it or has to
END $$;

CREATE TABLE tenants (
  id                  text COLLATE "C" PRIMARY KEY,
  name                text NOT NULL,
  created_at          timestamptz NOT NULL DEFAULT now(),
  -- Runs that may execute at once; without a value only the server's limit holds.
  max_concurrent_runs integer CHECK (max_concurrent_runs > 0),
  -- Start order within the tenant, drawn while holding this row.
  next_runnable_seq   bigint NOT NULL DEFAULT 1
);

-- One row: whoever changes which runs hold a slot locks it first, then tenant rows, then run heads.
CREATE TABLE scheduler (
  id                  boolean PRIMARY KEY DEFAULT true CHECK (id),
  max_concurrent_runs integer NOT NULL DEFAULT 5 CHECK (max_concurrent_runs > 0)
);

CREATE TABLE access_tokens (
  token_sha256 text COLLATE "C" PRIMARY KEY,
  tenant_id    text COLLATE "C" NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('viewer', 'operator', 'editor', 'admin')),
  principal    jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  revoked_at   timestamptz
);

-- Manifests and specs (settings, compiled graph, source), by content.
CREATE TABLE definitions (
  tenant_id  text COLLATE "C" NOT NULL,
  sha256     text COLLATE "C" NOT NULL,
  body       bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, sha256)
);

-- Facts that do not change while a run executes.
CREATE TABLE runs (
  tenant_id        text COLLATE "C" NOT NULL,
  id               text COLLATE "C" NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  parent_id        text COLLATE "C",
  manifest_sha256  text COLLATE "C" NOT NULL,
  spec_sha256      text COLLATE "C" NOT NULL,
  source_directory text,
  sandbox_provider text NOT NULL,
  engine_version   integer NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX runs_parent ON runs (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX runs_created ON runs (tenant_id, created_at DESC, id DESC);

-- What changes with every append. No index holds a column that an append changes, so appends update in place.
CREATE TABLE run_heads (
  tenant_id               text COLLATE "C" NOT NULL,
  run_id                  text COLLATE "C" NOT NULL,
  status                  text NOT NULL DEFAULT 'submitted',
  -- Where the run stands with the scheduler; only 'held' counts against limits.
  slot                    text NOT NULL DEFAULT 'none' CHECK (slot IN ('none', 'queued', 'held', 'parked')),
  runnable_seq            bigint,
  lease_owner             text,
  lease_epoch             bigint NOT NULL DEFAULT 0,
  lease_expires_at        timestamptz,
  next_seq                bigint NOT NULL DEFAULT 1,
  last_append_id          uuid,
  last_event_at           timestamptz NOT NULL DEFAULT now(),
  wake_at                 timestamptz,
  pending_control         text CHECK (pending_control IN ('cancel', 'pause', 'unpause')),
  epochs_without_progress integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, run_id),
  FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX run_heads_queued ON run_heads (tenant_id, runnable_seq) WHERE slot = 'queued';
CREATE INDEX run_heads_held ON run_heads (tenant_id, runnable_seq) WHERE slot = 'held';
CREATE INDEX run_heads_parked ON run_heads (wake_at) WHERE slot = 'parked';

-- The log. Run ids are ULIDs, so a range of ids is a range of time; ids chosen by clients land in the default partition.
CREATE TABLE run_events (
  tenant_id text COLLATE "C" NOT NULL,
  run_id    text COLLATE "C" NOT NULL,
  seq       bigint NOT NULL,
  id        uuid NOT NULL,
  event     text NOT NULL,
  epoch     bigint,
  ts        timestamptz NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The envelope without its seq. json and not jsonb: readers get it back byte for byte.
  body      json NOT NULL,
  PRIMARY KEY (tenant_id, run_id, seq)
) PARTITION BY RANGE (run_id);
CREATE TABLE run_events_default PARTITION OF run_events DEFAULT;

-- The state of the engine at a seq; loading is the newest of these plus the tail of the log.
CREATE TABLE run_snapshots (
  tenant_id  text COLLATE "C" NOT NULL,
  run_id     text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  state      json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, run_id, seq),
  FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE
);

-- Read models: folds of the log, up to seq. They may be deleted and built again at any time.
CREATE TABLE run_views (
  tenant_id    text COLLATE "C" NOT NULL,
  run_id       text COLLATE "C" NOT NULL,
  seq          bigint NOT NULL,
  view         json NOT NULL,
  title        text NOT NULL,
  workflow     text NOT NULL,
  repository   text,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  started_at   timestamptz,
  completed_at timestamptz,
  PRIMARY KEY (tenant_id, run_id),
  FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX run_views_created ON run_views (tenant_id, created_at DESC, run_id DESC);

CREATE TABLE stage_views (
  tenant_id text COLLATE "C" NOT NULL,
  run_id    text COLLATE "C" NOT NULL,
  stage_id  text COLLATE "C" NOT NULL,
  first_seq bigint NOT NULL,
  is_open   boolean NOT NULL,
  view      json NOT NULL,
  PRIMARY KEY (tenant_id, run_id, stage_id),
  FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX stage_views_order ON stage_views (tenant_id, run_id, first_seq);

-- What must happen after a commit, whoever dies: hidden while somebody delivers it, gone once it is delivered.
CREATE TABLE outbox (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id  text COLLATE "C" NOT NULL,
  run_id     text COLLATE "C" NOT NULL,
  kind       text NOT NULL,
  payload    jsonb NOT NULL DEFAULT '{}',
  not_before timestamptz NOT NULL DEFAULT now(),
  tries      integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_due ON outbox (not_before, id);

CREATE TABLE idempotency_keys (
  tenant_id  text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  run_id     text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key)
);

-- Living workers: each holds an advisory lock on its number for as long as its session lives.
CREATE TABLE workers (
  id                   text COLLATE "C" PRIMARY KEY,
  lock_number          bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  registered_at        timestamptz NOT NULL DEFAULT now(),
  -- The server start under which the lock was taken: a restart of PostgreSQL frees the locks of living workers.
  postmaster_started_at timestamptz NOT NULL DEFAULT pg_postmaster_start_time()
);

-- The log of a run disappears as a whole or not at all, and only here.
CREATE FUNCTION remove_run(the_tenant text, the_run text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM run_events WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM outbox WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM idempotency_keys WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM runs WHERE tenant_id = the_tenant AND id = the_run;
$$;

-- A partition for the ULIDs of one month, made ahead of time; harmless when it is there.
CREATE FUNCTION ensure_event_partition(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  from_month date := date_trunc('month', month)::date;
  name text := 'run_events_' || to_char(from_month, 'YYYYMM');
BEGIN
  IF to_regclass(name) IS NULL THEN
    EXECUTE format('CREATE TABLE %I PARTITION OF run_events FOR VALUES FROM (%L) TO (%L)',
      name, ulid_floor(from_month), ulid_floor((from_month + interval '1 month')::date));
  END IF;
EXCEPTION
  WHEN duplicate_table THEN NULL; -- another server was faster
  WHEN check_violation THEN NULL; -- the default partition already holds ids of that month: they stay there
END $$;

-- The least ULID of a day: ten characters of milliseconds in Crockford's base 32.
CREATE FUNCTION ulid_floor(day date) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  alphabet constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  rest bigint := (extract(epoch FROM day::timestamp) * 1000)::bigint;
  digits text := '';
BEGIN
  FOR i IN 1..10 LOOP
    digits := substr(alphabet, (rest % 32)::int + 1, 1) || digits;
    rest := rest / 32;
  END LOOP;
  RETURN digits || '0000000000000000';
END $$;

REVOKE ALL ON FUNCTION remove_run(text, text), ensure_event_partition(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_run(text, text), ensure_event_partition(date), ulid_floor(date) TO runyard_app;

DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO runyard_app', current_schema()); END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenants, scheduler, access_tokens, definitions, run_heads, run_snapshots,
  run_views, stage_views, outbox, idempotency_keys, workers TO runyard_app;
GRANT SELECT, INSERT ON runs, run_events TO runyard_app;

INSERT INTO scheduler DEFAULT VALUES;
INSERT INTO tenants (id, name) VALUES ('default', 'Default');

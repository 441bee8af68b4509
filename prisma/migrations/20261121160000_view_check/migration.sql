-- Read models are compared with their logs, some at a time, in one place at a time. One row: how far that has come.
CREATE TABLE view_check (
  id         boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- The run that was compared last; empty before the first one of a turn.
  tenant_id  text COLLATE "C" NOT NULL DEFAULT '',
  run_id     text COLLATE "C" NOT NULL DEFAULT '',
  -- Nobody goes on before; moved ahead by whoever does.
  not_before timestamptz NOT NULL DEFAULT now() + interval '1 hour',
  began_at   timestamptz NOT NULL DEFAULT now(),
  -- When a turn last came to the end of all runs.
  ended_at   timestamptz,
  -- Runs whose read models were wrong, ever.
  mended     bigint NOT NULL DEFAULT 0,
  mended_at  timestamptz
);
INSERT INTO view_check DEFAULT VALUES;
GRANT SELECT, UPDATE ON view_check TO runyard_app;

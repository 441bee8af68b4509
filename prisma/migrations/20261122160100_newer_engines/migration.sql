-- Runs that a newer engine drove wait without a slot while every worker is older.

-- The engine of a worker. Versions that do not know of it all have the first one.
ALTER TABLE workers ADD COLUMN engine_version integer NOT NULL DEFAULT 1;

-- The engine that a parked run waits for; null where it waits for nothing of the kind.
ALTER TABLE run_heads ADD COLUMN awaited_engine integer;
CREATE INDEX run_heads_awaiting_engine ON run_heads (awaited_engine) WHERE slot = 'parked' AND awaited_engine IS NOT NULL;

-- The version of the fold that made a row. A row of any other version is folded again from the log.
ALTER TABLE run_views ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE run_snapshots ADD COLUMN version integer NOT NULL DEFAULT 1;

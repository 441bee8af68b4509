-- A worker that cannot go on with a run gives it back with a word: why, how often in a row, and how often it was a defect.
ALTER TABLE run_heads
  ADD COLUMN fault text,
  -- The epoch that gave it back; the next one that does so goes on with the counts, any later one begins anew.
  ADD COLUMN fault_epoch bigint,
  ADD COLUMN drive_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN drive_defects integer NOT NULL DEFAULT 0;

-- What a claim and a promotion look at, each through an index of its own: their cost does not grow with the number of
-- runs that are held, nor with the number of tenants. No append changes any of these columns.

-- The tenant that was given a slot last: the next turn is that of the tenant behind it.
ALTER TABLE scheduler ADD COLUMN last_tenant_id text COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE run_heads
  -- Since when the run has its slot, or waits for one.
  ADD COLUMN slot_since timestamptz,
  -- When the worker that held the run was lost; null once another has it.
  ADD COLUMN lost_at timestamptz;
UPDATE run_heads SET slot_since = last_event_at WHERE slot <> 'none';

-- Runs that hold a slot and have no worker: those that lost one first, then by the time they wait.
CREATE INDEX run_heads_unclaimed ON run_heads (lost_at, slot_since) WHERE slot = 'held' AND lease_owner IS NULL;
-- Runs that lost an epoch at least, with and without a worker.
CREATE INDEX run_heads_suspects ON run_heads (lease_owner, slot_since) WHERE slot = 'held' AND epochs_without_progress > 0;

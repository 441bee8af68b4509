-- The server start under which a lease was renewed last: an epoch that a restart of PostgreSQL ended is nobody's fault.
ALTER TABLE run_heads ADD COLUMN lease_postmaster_started_at timestamptz;

-- One life of the server that serves this database: its timeline, which a promotion changes, and the start of its
-- postmaster, which a restart changes. A standby inherits neither. Null on a server in recovery, which serves nobody.
CREATE FUNCTION server_incarnation() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN NOT pg_is_in_recovery() THEN
    left(pg_walfile_name(pg_current_wal_lsn()), 8) || '-' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
  END
$$;

-- When each was first seen at work by anybody: from then on living workers have some time to come back.
CREATE TABLE server_incarnations (
  id            text COLLATE "C" PRIMARY KEY,
  first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT ON server_incarnations TO runyard_app;

-- The incarnation under which a lease was renewed last. A version that does not know of it leaves it as it was, and fills
-- lease_postmaster_started_at alone.
ALTER TABLE run_heads ADD COLUMN lease_incarnation text;

-- The incarnation that holds the worker's lock, and the name in pg_stat_activity of the sessions that renew its leases:
-- as long as one of them is there, the worker is.
ALTER TABLE workers ADD COLUMN incarnation text, ADD COLUMN renewals_name text;

-- An engine that goes on with a run of an older one says so, and older ones leave the run alone from then on.
GRANT UPDATE (engine_version) ON runs TO runyard_app;

-- Months of the log come and go without a lock that keeps writers waiting: none waits longer than these functions do.

-- A partition for the ULIDs of one month, made ahead of time; harmless when it is there. Rows of that month which the
-- default partition caught move into it; so many that this would take long stay where they are, and so do those to come.
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
  WHEN check_violation THEN NULL;    -- the default partition caught one more just now; the next turn moves it
END $$;

-- Drops the months that are over and of which VACUUM left nothing; an empty file is the cheapest proof that there are no
-- rows. The parent is locked for as long as the catalogue takes, and not at all while somebody holds it.
CREATE FUNCTION drop_empty_event_partitions() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
  part regclass;
BEGIN
  FOR part IN
    SELECT c.oid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'run_events'::regclass AND c.relname ~ '^run_events_[0-9]{6}$' AND pg_relation_size(c.oid) = 0
       AND to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' < now() - interval '1 day'
  LOOP
    LOCK TABLE run_events IN ACCESS EXCLUSIVE MODE;
    CONTINUE WHEN coalesce(pg_relation_size(part), 1) > 0; -- written to, or dropped by another server
    EXECUTE format('ALTER TABLE run_events DETACH PARTITION %s', part);
    RETURN NEXT part::text;
    EXECUTE format('DROP TABLE %s', part);
  END LOOP;
EXCEPTION
  WHEN lock_not_available THEN NULL; -- the next turn tries again
END $$;

REVOKE ALL ON FUNCTION drop_empty_event_partitions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_empty_event_partitions() TO runyard_app;

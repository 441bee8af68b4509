-- As before, but for months that the default partition is barred from by the promise which spares it a look at every row
-- when a month is attached: an event that comes later, since a run of that month is renamed or resumed, has no other place.
CREATE OR REPLACE FUNCTION drop_empty_event_partitions() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
  part regclass;
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'run_events_default'::regclass AND conname = 'run_events_default_gap') THEN
    RETURN;
  END IF;
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

-- A long log moves and comes back in stretches, each whole or not at all. A part of it says in which object it lies.

-- As before, but up to any event: what follows it is still in run_events. The read models need none of the log any more.
CREATE OR REPLACE FUNCTION move_log(the_tenant text, the_run text, upto bigint, digest text, size bigint, the_parts json) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  head run_heads;
  moved bigint;
  removed bigint;
BEGIN
  SELECT * INTO head FROM run_heads WHERE tenant_id = the_tenant AND run_id = the_run FOR NO KEY UPDATE;
  IF NOT FOUND OR head.status = 'removing' THEN RETURN 'gone'; END IF;
  IF head.status NOT IN ('succeeded', 'failed') OR head.slot <> 'none' OR head.next_seq <= upto
     OR head.last_event_at > now() - interval '1 day'
     OR NOT EXISTS (SELECT FROM run_views WHERE tenant_id = the_tenant AND run_id = the_run AND seq = head.next_seq - 1) THEN
    RETURN 'changed';
  END IF;
  SELECT coalesce(max(to_seq), 0) INTO moved FROM cold_logs WHERE tenant_id = the_tenant AND run_id = the_run;
  INSERT INTO cold_logs (tenant_id, run_id, to_seq, sha256, bytes, parts)
  VALUES (the_tenant, the_run, upto, digest, size, the_parts)
  ON CONFLICT (tenant_id, run_id) DO UPDATE
    SET to_seq = excluded.to_seq, sha256 = excluded.sha256, bytes = excluded.bytes, parts = excluded.parts, moved_at = now();
  DELETE FROM run_events WHERE tenant_id = the_tenant AND run_id = the_run AND seq <= upto;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed <> upto - moved THEN
    RAISE EXCEPTION 'run % has % rows between seq % and %', the_run, removed, moved, upto;
  END IF;
  DELETE FROM run_snapshots WHERE tenant_id = the_tenant AND run_id = the_run;
  RETURN 'moved';
END $$;

-- Says that the events from one on are in run_events again, and that those before it are where they were. Refused while one
-- is missing.
CREATE FUNCTION return_log_part(the_tenant text, the_run text, from_seq bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  mark cold_logs;
  present bigint;
BEGIN
  SELECT * INTO mark FROM cold_logs WHERE tenant_id = the_tenant AND run_id = the_run FOR UPDATE;
  IF NOT FOUND OR mark.to_seq < from_seq THEN RETURN; END IF;
  SELECT count(*) INTO present FROM run_events
   WHERE tenant_id = the_tenant AND run_id = the_run AND seq >= from_seq AND seq <= mark.to_seq;
  IF present <> mark.to_seq - from_seq + 1 THEN
    RAISE EXCEPTION 'run % has % events between seq % and %', the_run, present, from_seq, mark.to_seq;
  END IF;
  IF from_seq = 1 THEN
    DELETE FROM cold_logs WHERE tenant_id = the_tenant AND run_id = the_run;
    RETURN;
  END IF;
  UPDATE cold_logs SET to_seq = from_seq - 1, parts = (
    SELECT json_agg(jsonb_build_object('upTo', mark.to_seq) || p.part ORDER BY p.place)
      FROM jsonb_array_elements(mark.parts::jsonb) WITH ORDINALITY AS p(part, place)
     WHERE (p.part ->> 'firstSeq')::bigint < from_seq)
   WHERE tenant_id = the_tenant AND run_id = the_run;
END $$;

REVOKE ALL ON FUNCTION return_log_part(text, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION return_log_part(text, text, bigint) TO runyard_app;

-- Logs of runs that are long over lie in the object store. A row here says: the events up to to_seq are in that object and
-- not in run_events; what was appended since is in run_events only.
CREATE TABLE cold_logs (
  tenant_id text COLLATE "C" NOT NULL,
  run_id    text COLLATE "C" NOT NULL,
  to_seq    bigint NOT NULL,
  -- Of the text of the whole log, and its size as it is stored.
  sha256    text NOT NULL,
  bytes     bigint NOT NULL,
  -- Where in the object which events are: a list of {firstSeq, start, end}, each compressed by itself.
  parts     json NOT NULL,
  moved_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, run_id),
  FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE
);
GRANT SELECT ON cold_logs TO runyard_app;

-- Says that a log lies in the object store and removes its rows, both or neither; harmless to repeat. Only for runs that
-- have been over for a day, with nothing appended meanwhile and with read models that need the log no more.
CREATE FUNCTION move_log(the_tenant text, the_run text, upto bigint, digest text, size bigint, the_parts json) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  head run_heads;
  moved bigint;
  removed bigint;
BEGIN
  SELECT * INTO head FROM run_heads WHERE tenant_id = the_tenant AND run_id = the_run FOR NO KEY UPDATE;
  IF NOT FOUND OR head.status = 'removing' THEN RETURN 'gone'; END IF;
  IF head.status NOT IN ('succeeded', 'failed') OR head.slot <> 'none' OR head.next_seq <> upto + 1
     OR head.last_event_at > now() - interval '1 day'
     OR NOT EXISTS (SELECT FROM run_views WHERE tenant_id = the_tenant AND run_id = the_run AND seq = upto) THEN
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

-- Says that all events of a log are in run_events again. Refused while one is missing.
CREATE FUNCTION return_log(the_tenant text, the_run text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  upto bigint;
  present bigint;
BEGIN
  DELETE FROM cold_logs WHERE tenant_id = the_tenant AND run_id = the_run RETURNING to_seq INTO upto;
  SELECT count(*) INTO present FROM run_events WHERE tenant_id = the_tenant AND run_id = the_run AND seq <= upto;
  IF present <> upto THEN
    RAISE EXCEPTION 'run % has % of % events', the_run, present, upto;
  END IF;
END $$;

REVOKE ALL ON FUNCTION move_log(text, text, bigint, text, bigint, json), return_log(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION move_log(text, text, bigint, text, bigint, json), return_log(text, text) TO runyard_app;

-- The newest events of a run that is being removed. A long log goes in steps, so that each ends within the limit of a
-- statement; what a step left is taken by the next request to remove the run.
CREATE FUNCTION remove_events(the_tenant text, the_run text, from_seq bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM run_events e USING run_heads h
   WHERE h.tenant_id = the_tenant AND h.run_id = the_run AND h.status = 'removing'
     AND e.tenant_id = the_tenant AND e.run_id = the_run AND e.seq >= from_seq;
$$;

REVOKE ALL ON FUNCTION remove_events(text, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_events(text, text, bigint) TO runyard_app;

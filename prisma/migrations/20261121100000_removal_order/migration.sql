-- Locks what the writers of a run lock first, in their order (the head, the view), before the row that their foreign
-- keys point at. The other way round, a removal and a fold of the same run wait for each other.
CREATE OR REPLACE FUNCTION remove_run(the_tenant text, the_run text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM run_heads WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM run_views WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM run_events WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM outbox WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM idempotency_keys WHERE tenant_id = the_tenant AND run_id = the_run;
  DELETE FROM runs WHERE tenant_id = the_tenant AND id = the_run;
$$;

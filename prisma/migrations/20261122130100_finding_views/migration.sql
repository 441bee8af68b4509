-- The workflows of a tenant and the newest run of each, found by jumping from one to the next.
CREATE INDEX run_views_workflow ON run_views (tenant_id, workflow, coalesce(slug, ''), created_at DESC, run_id DESC);

-- Views that an older version folded, without a look at all the others.
CREATE INDEX run_views_version ON run_views (version, tenant_id, run_id);

-- Definitions go with the last run that was made of them. No creation waits for that and no removal for a creation: a
-- definition is retired first, and deleted when nobody can rely on it any more.
ALTER TABLE definitions ADD COLUMN retired_at timestamptz;
CREATE INDEX definitions_retired ON definitions (retired_at) WHERE retired_at IS NOT NULL;

-- Who uses a definition is asked by digest. The digest stands first: before the first ANALYZE the planner takes any index
-- that begins with the tenant for as good as the primary key, and would walk all runs of a tenant to find one.
CREATE INDEX runs_manifest ON runs (manifest_sha256, tenant_id);
CREATE INDEX runs_spec ON runs (spec_sha256, tenant_id);

-- Definitions that perhaps no run uses. The same may stand here more than once, so that nobody waits to add it.
CREATE TABLE definitions_to_check (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  sha256    text COLLATE "C" NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON definitions_to_check TO runyard_app;
INSERT INTO definitions_to_check (tenant_id, sha256) SELECT tenant_id, sha256 FROM definitions;

-- However a run is removed, what it was made of is looked at.
CREATE FUNCTION check_definitions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO definitions_to_check (tenant_id, sha256)
  SELECT DISTINCT tenant_id, unnest(ARRAY[manifest_sha256, spec_sha256]) FROM removed;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION check_definitions() FROM PUBLIC;
CREATE TRIGGER runs_removed AFTER DELETE ON runs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION check_definitions();

-- A key may belong to another request than a creation: its digest, and what it was told beside the run. Creations have
-- neither: they are compared by the run's manifest.
ALTER TABLE idempotency_keys
  ADD COLUMN request_sha256 text COLLATE "C",
  ADD COLUMN reply json;

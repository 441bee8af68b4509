-- Tokens with which the commands of a run speak for it. They are good while the run goes on, and are removed with it.
ALTER TABLE access_tokens
  ADD COLUMN run_id text COLLATE "C",
  ADD COLUMN expires_at timestamptz,
  ADD FOREIGN KEY (tenant_id, run_id) REFERENCES runs (tenant_id, id) ON DELETE CASCADE;
CREATE INDEX access_tokens_run ON access_tokens (tenant_id, run_id) WHERE run_id IS NOT NULL;

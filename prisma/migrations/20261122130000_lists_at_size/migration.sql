-- Lists walk an index from the newest run of each column on, however many runs a tenant has. No row is rewritten: building
-- the index keeps writers of run_heads waiting for about a second a million runs.

-- What orders runs by their creation: an id tells its moment, so this is null unless a client chose an id of another one.
ALTER TABLE runs ADD COLUMN created_key text COLLATE "C";
ALTER TABLE run_heads ADD COLUMN created_key text COLLATE "C";

-- The column of the board in which a run stands, from the left; an archived one stands nowhere else.
CREATE FUNCTION run_place(status text, archived_at timestamptz) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE
    WHEN status = 'removing' THEN 8::smallint
    WHEN archived_at IS NOT NULL THEN 7::smallint
    WHEN status IN ('submitted', 'pending') THEN 0::smallint
    WHEN status = 'runnable' THEN 1::smallint
    WHEN status = 'starting' THEN 2::smallint
    WHEN status IN ('running', 'paused') THEN 3::smallint
    WHEN status = 'blocked' THEN 4::smallint
    WHEN status = 'succeeded' THEN 5::smallint
    ELSE 6::smallint
  END;

-- An append that moves no status changes nothing that this index holds, so it updates in place as before.
CREATE INDEX run_heads_board ON run_heads (tenant_id, run_place(status, archived_at), coalesce(created_key, run_id) DESC);

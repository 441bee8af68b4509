-- The claim that took the run for its worker. One whose reply was lost is undone by it: nobody drives what it took.
ALTER TABLE run_heads ADD COLUMN claim_id uuid;

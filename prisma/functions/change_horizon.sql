-- Readers may see the changes with lower ids than this: those of the transactions before the first one that is still open. A change with a
-- higher id may still be followed by one with a lower id.
CREATE OR REPLACE FUNCTION change_horizon() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

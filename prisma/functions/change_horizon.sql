-- Returns the id below which readers may see changes: those of all transactions before the first one that is still open. After a change
-- with a higher id, a change with a lower id can still follow.
CREATE OR REPLACE FUNCTION change_horizon() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- What the ids of all changes are below that readers may see: those of transactions before the first one that is still open. Others may
-- be followed by changes with lower ids.
CREATE OR REPLACE FUNCTION change_horizon() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

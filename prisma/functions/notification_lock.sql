-- The advisory lock of two accounts: events between them share it, a block excludes them. That of an account alone is for its suspension.
CREATE OR REPLACE FUNCTION notification_lock(one uuid, other uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT uuid_hash_extended(least(one, other), uuid_hash_extended(greatest(one, other), 0))
$$;

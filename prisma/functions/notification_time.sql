-- Returns the time of a key that notification_key made.
CREATE OR REPLACE FUNCTION notification_time(key uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || translate(left(key::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
$$;

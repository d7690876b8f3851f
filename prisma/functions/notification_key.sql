-- Makes the notice key of an event that its recipient is notified of: a version 7 UUID by the clock of the database, so that keys are in
-- the order of time.
CREATE OR REPLACE FUNCTION notification_key() RETURNS uuid LANGUAGE sql AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

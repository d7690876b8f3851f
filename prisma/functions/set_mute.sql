-- Mutes when `wanted` is true, until a time or for good; unmutes when it is false, flips when it is null. Both users are locked in the order
-- of their ids, as for follows. Mutes that have ended are removed first. Answers muted, unmuted, not_found or too_many.
CREATE OR REPLACE FUNCTION set_mute(
  mute uuid, viewer uuid, other uuid, wanted boolean, most int, ends timestamptz DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  muted boolean := wanted;
  found_users int;
BEGIN
  PERFORM FROM users u WHERE u.id IN (viewer, other) AND (mute IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id))
    ORDER BY u.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS found_users = ROW_COUNT;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  DELETE FROM mutes m WHERE m.muter_id = viewer AND m.until <= now();
  IF wanted IS NOT TRUE THEN
    DELETE FROM mutes m WHERE m.muter_id = viewer AND m.muted_id = other;
    IF wanted IS NULL THEN muted := NOT FOUND; END IF;
  END IF;
  IF muted THEN
    IF (SELECT count(*) FROM mutes m WHERE m.muter_id = viewer AND m.muted_id <> other) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO mutes (id, muter_id, muted_id, until) VALUES (mute, viewer, other, ends)
      ON CONFLICT (muter_id, muted_id) DO UPDATE SET until = excluded.until;
  END IF;
  RETURN CASE WHEN muted THEN 'muted' ELSE 'unmuted' END;
END $$;

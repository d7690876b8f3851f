-- Mutes when `wanted` is true, until a time or for good; unmutes when it is false, flips when it is null; `cause` is request, import or
-- deletion. Both users are locked. Mutes that have ended are removed first. Returns muted, unmuted, not_found or too_many.
CREATE OR REPLACE FUNCTION set_mute(
  new_id uuid, viewer uuid, object uuid, wanted boolean, most int, ends timestamptz DEFAULT NULL, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  DELETE FROM mutes m WHERE m.muter_id = viewer AND m.until <= now();
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM mutes m WHERE m.muter_id = viewer AND m.muted_id = object);
  END IF;
  IF wanted THEN
    IF (SELECT count(*) FROM mutes m WHERE m.muter_id = viewer AND m.muted_id <> object) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO mutes (id, muter_id, muted_id, until) VALUES (new_id, viewer, object, ends)
      ON CONFLICT (muter_id, muted_id) DO UPDATE SET until = excluded.until;
  ELSE
    DELETE FROM mutes m WHERE m.muter_id = viewer AND m.muted_id = object;
  END IF;
  RETURN CASE WHEN wanted THEN 'muted' ELSE 'unmuted' END;
END $$;

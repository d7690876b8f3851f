-- Blocks when `wanted` is true, unblocks when it is false, flips when it is null; `cause` is request, import or deletion. A block ends the
-- follows between both users, which are locked, and hides each from the other until neither blocks. Only both see its change. Returns blocked,
-- unblocked, not_found or too_many.
CREATE OR REPLACE FUNCTION set_block(new_id uuid, viewer uuid, object uuid, wanted boolean, most int, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id = object);
  END IF;
  IF wanted THEN
    IF (SELECT count(*) FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id <> object) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO blocks (id, blocker_id, blocked_id) VALUES (new_id, viewer, object) ON CONFLICT (blocker_id, blocked_id) DO NOTHING;
    IF FOUND THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('BLOCKED', viewer, object); END IF;
    INSERT INTO blocked_pairs (viewer_id, hidden_id) VALUES (viewer, object), (object, viewer) ON CONFLICT DO NOTHING;
    PERFORM set_follow(NULL, viewer, object, false, 0, cause), set_follow(NULL, object, viewer, false, 0, cause);
  ELSE
    DELETE FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id = object;
    IF FOUND THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('UNBLOCKED', viewer, object); END IF;
    DELETE FROM blocked_pairs h
      WHERE (h.viewer_id = viewer AND h.hidden_id = object OR h.viewer_id = object AND h.hidden_id = viewer)
        AND NOT EXISTS (SELECT FROM blocks b WHERE b.blocker_id = object AND b.blocked_id = viewer);
  END IF;
  RETURN CASE WHEN wanted THEN 'blocked' ELSE 'unblocked' END;
END $$;

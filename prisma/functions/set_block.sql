-- Blocks when `wanted` is true, unblocks when it is false, flips when it is null. A block ends the follows between both users, and hides each
-- from the other until neither blocks. Both users are locked in the order of their ids, as for follows. Answers blocked, unblocked, not_found
-- or too_many.
CREATE OR REPLACE FUNCTION set_block(block uuid, viewer uuid, other uuid, wanted boolean, most int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  blocked boolean := wanted;
  found_users int;
BEGIN
  PERFORM FROM users u WHERE u.id IN (viewer, other) AND (block IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id))
    ORDER BY u.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS found_users = ROW_COUNT;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id = other;
    IF wanted IS NULL THEN blocked := NOT FOUND; END IF;
    DELETE FROM hidings h
      WHERE (h.viewer_id = viewer AND h.hidden_id = other OR h.viewer_id = other AND h.hidden_id = viewer)
        AND NOT EXISTS (SELECT FROM blocks b WHERE b.blocker_id = other AND b.blocked_id = viewer);
  END IF;
  IF blocked THEN
    IF (SELECT count(*) FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id <> other) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO blocks (id, blocker_id, blocked_id) VALUES (block, viewer, other) ON CONFLICT (blocker_id, blocked_id) DO NOTHING;
    INSERT INTO hidings (viewer_id, hidden_id) VALUES (viewer, other), (other, viewer) ON CONFLICT DO NOTHING;
    PERFORM set_follow(NULL, viewer, other, false, 0), set_follow(NULL, other, viewer, false, 0);
  END IF;
  RETURN CASE WHEN blocked THEN 'blocked' ELSE 'unblocked' END;
END $$;

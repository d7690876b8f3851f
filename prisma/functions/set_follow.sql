-- Follows when `wanted` is true, unfollows when it is false, flips when it is null; `cause` is request, import or deletion. Both users are
-- locked, so the counter that is compared with `most` is exact. Returns followed, unfollowed, not_found, too_many, or hidden if one of them
-- blocks the other. Only a request notifies who is followed. A counter that moves has a change that says why.
CREATE OR REPLACE FUNCTION set_follow(
  new_id uuid, viewer uuid, object uuid, wanted boolean, most int, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  notice uuid;
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM follows f WHERE f.follower_id = viewer AND f.followee_id = object);
  END IF;
  IF wanted THEN
    IF EXISTS (SELECT FROM hidden_from(viewer, object)) THEN RETURN 'hidden'; END IF;
    IF (SELECT u.following_count FROM users u WHERE u.id = viewer) >= most
      AND NOT EXISTS (SELECT FROM follows f WHERE f.follower_id = viewer AND f.followee_id = object)
    THEN RETURN 'too_many'; END IF;
    notice := CASE WHEN cause = 'request' THEN notification_key() END;
    INSERT INTO follows (id, follower_id, followee_id, notice_key) VALUES (new_id, viewer, object, notice) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM follows f WHERE f.follower_id = viewer AND f.followee_id = object RETURNING f.notice_key INTO notice;
  END IF;
  IF FOUND THEN
    UPDATE users u SET following_count = u.following_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE u.id = viewer;
    UPDATE users u SET follower_count = u.follower_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE u.id = object;
    INSERT INTO changes (kind, actor_id, user_id, recipient_id) VALUES (
      CASE WHEN wanted THEN 'FOLLOWED' ELSE 'UNFOLLOWED' END::change_kind, viewer, object, CASE WHEN notice IS NOT NULL THEN object END);
  END IF;
  RETURN CASE WHEN wanted THEN 'followed' ELSE 'unfollowed' END;
END $$;

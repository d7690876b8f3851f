-- Follows when `wanted` is true, unfollows when it is false, flips when it is null. Both users are locked in the order of
-- their ids, so people who follow one another at the same time cannot deadlock, and the counter that is compared with
-- `most` is exact. Answers followed, unfollowed, not_found, too_many, or hidden if one of them blocks the other.
CREATE OR REPLACE FUNCTION set_follow(follow uuid, viewer uuid, followee uuid, wanted boolean, most int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  changed boolean;
  followed boolean := wanted;
  found_users int;
  following int;
BEGIN
  SELECT count(*), max(locked.following_count) FILTER (WHERE locked.id = viewer) INTO found_users, following FROM (
    SELECT u.id, u.following_count FROM users u
    WHERE u.id IN (viewer, followee) AND (follow IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id)) ORDER BY u.id FOR NO KEY UPDATE) locked;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM follows f WHERE f.follower_id = viewer AND f.followee_id = followee;
    changed := FOUND;
    IF wanted IS NULL THEN followed := NOT changed; END IF;
  END IF;
  IF followed THEN
    IF EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = followee) THEN RETURN 'hidden'; END IF;
    IF following >= most AND NOT EXISTS (
      SELECT FROM follows f WHERE f.follower_id = viewer AND f.followee_id = followee)
    THEN RETURN 'too_many'; END IF;
    INSERT INTO follows (id, follower_id, followee_id) VALUES (follow, viewer, followee) ON CONFLICT DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE users u SET following_count = u.following_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = viewer;
    UPDATE users u SET follower_count = u.follower_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = followee;
  END IF;
  RETURN CASE WHEN followed THEN 'followed' ELSE 'unfollowed' END;
END $$;

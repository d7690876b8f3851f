-- What Prisma's schema cannot say: checks, the expression index, the views of what is live, and the toggles.

ALTER TABLE users
  ADD CONSTRAINT users_username_form CHECK (username ~ '^[A-Za-z0-9_]{1,30}$'),
  ADD CONSTRAINT users_display_name_length CHECK (char_length(display_name) BETWEEN 1 AND 50),
  ADD CONSTRAINT users_bio_length CHECK (char_length(bio) <= 500),
  ADD CONSTRAINT users_counters CHECK (follower_count >= 0 AND following_count >= 0);

CREATE UNIQUE INDEX users_username_key ON users (lower(username));

ALTER TABLE applications
  ADD CONSTRAINT applications_name_length CHECK (char_length(name) BETWEEN 1 AND 50);

ALTER TABLE access_tokens
  ALTER COLUMN scopes SET NOT NULL,
  ADD CONSTRAINT access_tokens_name_length CHECK (char_length(name) BETWEEN 1 AND 50);

ALTER TABLE publications
  ADD CONSTRAINT publications_content_length
    CHECK (CASE WHEN deleted_at IS NULL THEN char_length(content) BETWEEN 1 AND 500 ELSE content = '' END),
  ADD CONSTRAINT publications_counters CHECK (reply_count >= 0 AND like_count >= 0),
  ADD CONSTRAINT publications_not_own_parent CHECK (parent_id <> id);

ALTER TABLE follows
  ADD CONSTRAINT follows_not_self CHECK (follower_id <> followee_id);

-- Reads go through this view, so a deleted publication cannot be read by forgetting a condition.
CREATE VIEW live_publications AS
  SELECT id, parent_id, author_id, application_id, content, locked, reply_count, like_count, created_at, edited_at
  FROM publications
  WHERE deleted_at IS NULL;

-- Likes when `wanted` is true, unlikes when it is false, flips when it is null. The row of the publication is locked
-- first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- Answers liked, unliked or not_found; or post / reply where the token may not like that kind.
CREATE FUNCTION set_like(viewer uuid, publication uuid, wanted boolean, posts boolean, replies boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  is_reply boolean;
  changed boolean;
  liked boolean := wanted;
BEGIN
  SELECT p.parent_id IS NOT NULL INTO is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM likes l WHERE l.user_id = viewer AND l.publication_id = publication;
    changed := FOUND;
    IF wanted IS NULL THEN liked := NOT changed; END IF;
  END IF;
  IF liked THEN
    INSERT INTO likes (user_id, publication_id) VALUES (viewer, publication) ON CONFLICT DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE publications p SET like_count = p.like_count + CASE WHEN liked THEN 1 ELSE -1 END WHERE p.id = publication;
  END IF;
  RETURN CASE WHEN liked THEN 'liked' ELSE 'unliked' END;
END $$;

-- The same for a follow. Both users are locked in the order of their ids, so people who follow one another at the same
-- time cannot deadlock. Answers followed, unfollowed or not_found.
CREATE FUNCTION set_follow(follow uuid, viewer uuid, followee uuid, wanted boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  changed boolean;
  followed boolean := wanted;
  found_users int;
BEGIN
  SELECT count(*) INTO found_users FROM (
    SELECT u.id FROM users u WHERE u.id IN (viewer, followee) ORDER BY u.id FOR NO KEY UPDATE) locked;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM follows f WHERE f.follower_id = viewer AND f.followee_id = followee;
    changed := FOUND;
    IF wanted IS NULL THEN followed := NOT changed; END IF;
  END IF;
  IF followed THEN
    INSERT INTO follows (id, follower_id, followee_id) VALUES (follow, viewer, followee) ON CONFLICT DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE users u SET following_count = u.following_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = viewer;
    UPDATE users u SET follower_count = u.follower_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = followee;
  END IF;
  RETURN CASE WHEN followed THEN 'followed' ELSE 'unfollowed' END;
END $$;

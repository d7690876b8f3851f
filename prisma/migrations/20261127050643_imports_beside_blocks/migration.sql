-- Bookmarks when `wanted` is true, removes the bookmark when it is false, flips when it is null. The row of the publication is locked first,
-- as for a like. Answers bookmarked, unbookmarked or not_found; or post / reply where the token may not bookmark that kind. What is hidden
-- from the viewer is not found, unless `bookmark` is null: the deletion of an account ends all of its bookmarks. An import finds what a block
-- hides: it may be older.
CREATE OR REPLACE FUNCTION set_bookmark(bookmark uuid, viewer uuid, publication uuid, wanted boolean, posts boolean, replies boolean)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  is_reply boolean;
  bookmarked boolean := wanted;
BEGIN
  SELECT p.parent_id IS NOT NULL INTO is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND (bookmark IS NULL
        OR (current_setting('rookery.importing', true) = 'on'
          OR NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id))
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id))
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM bookmarks b WHERE b.user_id = viewer AND b.publication_id = publication;
    IF wanted IS NULL THEN bookmarked := NOT FOUND; END IF;
  END IF;
  IF bookmarked THEN
    INSERT INTO bookmarks (id, user_id, publication_id) VALUES (bookmark, viewer, publication)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  END IF;
  RETURN CASE WHEN bookmarked THEN 'bookmarked' ELSE 'unbookmarked' END;
END $$;

-- Likes when `wanted` is true, unlikes when it is false, flips when it is null. The row of the publication is locked
-- first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- Returns liked, unliked or not_found; or post / reply where the token may not like that kind. What is hidden from the viewer is not
-- found, unless `like_id` is null: the deletion of an account ends all of its likes. An import finds what a block hides: it may be older.
CREATE OR REPLACE FUNCTION set_like(like_id uuid, viewer uuid, publication uuid, wanted boolean, posts boolean, replies boolean)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  is_reply boolean;
  changed boolean;
  liked boolean := wanted;
BEGIN
  SELECT p.parent_id IS NOT NULL INTO is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND (like_id IS NULL
        OR (current_setting('rookery.importing', true) = 'on'
          OR NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id))
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id))
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM likes l WHERE l.user_id = viewer AND l.publication_id = publication;
    changed := FOUND;
    IF wanted IS NULL THEN liked := NOT changed; END IF;
  END IF;
  IF liked THEN
    INSERT INTO likes (id, user_id, publication_id) VALUES (like_id, viewer, publication)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE publications p SET like_count = p.like_count + CASE WHEN liked THEN 1 ELSE -1 END WHERE p.id = publication;
  END IF;
  RETURN CASE WHEN liked THEN 'liked' ELSE 'unliked' END;
END $$;

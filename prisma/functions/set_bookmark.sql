-- Bookmarks when `wanted` is true, removes the bookmark when it is false, flips when it is null; `cause` is request, import or deletion. The
-- row of the publication is locked first, as for a like. Returns bookmarked, unbookmarked, or a refusal of lock_publication.
CREATE OR REPLACE FUNCTION set_bookmark(
  new_id uuid, viewer uuid, object uuid, wanted boolean, posts boolean, replies boolean, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  locked record := lock_publication(object, viewer, posts, replies, cause);
BEGIN
  IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM bookmarks b WHERE b.publication_id = object AND b.user_id = viewer);
  END IF;
  IF wanted THEN
    INSERT INTO bookmarks (id, user_id, publication_id) VALUES (new_id, viewer, object)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  ELSE
    DELETE FROM bookmarks b WHERE b.publication_id = object AND b.user_id = viewer;
  END IF;
  RETURN CASE WHEN wanted THEN 'bookmarked' ELSE 'unbookmarked' END;
END $$;

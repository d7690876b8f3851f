-- Likes when `wanted` is true, unlikes when it is false, flips when it is null; `cause` is request, import or deletion. The row of the
-- publication is locked first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too. Returns
-- liked, unliked, or a refusal of lock_publication. Only a request notifies the author. A counter that moves has a change that says why.
CREATE OR REPLACE FUNCTION set_like(
  new_id uuid, viewer uuid, object uuid, wanted boolean, posts boolean, replies boolean, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  locked record := lock_publication(object, viewer, posts, replies, cause);
  told uuid := CASE WHEN cause = 'request' THEN nullif(locked.author, viewer) END;
BEGIN
  IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM likes l WHERE l.publication_id = object AND l.user_id = viewer);
  END IF;
  IF wanted THEN
    INSERT INTO likes (id, user_id, publication_id, author_id, notice_key)
      VALUES (new_id, viewer, object, told, CASE WHEN told IS NOT NULL THEN notification_key() END)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  ELSE
    DELETE FROM likes l WHERE l.publication_id = object AND l.user_id = viewer RETURNING l.author_id INTO told;
  END IF;
  IF FOUND THEN
    UPDATE publications p SET like_count = p.like_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE p.id = object;
    PERFORM add_change(CASE WHEN wanted THEN 'LIKED' ELSE 'UNLIKED' END::change_kind, viewer, object, told);
  END IF;
  RETURN CASE WHEN wanted THEN 'liked' ELSE 'unliked' END;
END $$;

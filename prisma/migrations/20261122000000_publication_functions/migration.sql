-- Functions that send and edit publications, so that these writes run in batches as likes do.

-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first. Returns sent; or for the parent locked or
-- not_found.
CREATE FUNCTION send_publication(publication uuid, parent uuid, author uuid, application uuid, content text, locked boolean)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF parent IS NOT NULL THEN
    UPDATE publications p SET reply_count = p.reply_count + 1
      WHERE p.id = parent AND p.deleted_at IS NULL AND (NOT p.locked OR p.author_id = author);
    IF NOT FOUND THEN
      PERFORM FROM publications p WHERE p.id = parent AND p.deleted_at IS NULL;
      RETURN CASE WHEN FOUND THEN 'locked' ELSE 'not_found' END;
    END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    VALUES (publication, parent, author, application, content, locked);
  RETURN 'sent';
END $$;

-- Edits a publication of the viewer; what is null stays unchanged. Returns edited, not_found or forbidden; or post / reply
-- where the token may not edit that kind.
CREATE FUNCTION edit_publication(
  publication uuid, viewer uuid, new_content text, new_locked boolean, posts boolean, replies boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  author uuid;
  is_reply boolean;
BEGIN
  UPDATE publications p
    SET content = coalesce(new_content, p.content), locked = coalesce(new_locked, p.locked), edited_at = now()
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = viewer
      AND CASE WHEN p.parent_id IS NULL THEN posts ELSE replies END;
  IF FOUND THEN RETURN 'edited'; END IF;
  SELECT p.author_id, p.parent_id IS NOT NULL INTO author, is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  RETURN CASE WHEN author <> viewer THEN 'forbidden' ELSE 'not_found' END;
END $$;

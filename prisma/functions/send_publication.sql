-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first. Returns sent; or for the parent locked or
-- not_found, which it also is if its author is hidden from the new one. `entities` are as in set_entities.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, content text, locked boolean, entities text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF parent IS NOT NULL THEN
    UPDATE publications p SET reply_count = p.reply_count + 1
      WHERE p.id = parent AND p.deleted_at IS NULL AND (NOT p.locked OR p.author_id = author)
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id);
    IF NOT FOUND THEN
      PERFORM FROM publications p WHERE p.id = parent AND p.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id);
      RETURN CASE WHEN FOUND THEN 'locked' ELSE 'not_found' END;
    END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    VALUES (publication, parent, author, application, content, locked);
  IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
  RETURN 'sent';
END $$;

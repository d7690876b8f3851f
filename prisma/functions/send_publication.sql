-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first. Returns sent; or for the parent locked or
-- not_found, which it also is if its author is hidden from the new one. `words` are as in publication_tokens, and `entities` as in set_entities.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, new_content text, new_locked boolean, words text, entities text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  parent_author uuid;
BEGIN
  IF parent IS NOT NULL THEN
    UPDATE publications p SET reply_count = p.reply_count + 1
      WHERE p.id = parent AND p.deleted_at IS NULL AND (NOT p.locked OR p.author_id = author)
        AND NOT EXISTS (SELECT FROM hidden_from(author, p.author_id))
      RETURNING nullif(p.author_id, author) INTO parent_author;
    IF NOT FOUND THEN
      PERFORM FROM publications p WHERE p.id = parent AND p.deleted_at IS NULL AND NOT EXISTS (SELECT FROM hidden_from(author, p.author_id));
      RETURN CASE WHEN FOUND THEN 'locked' ELSE 'not_found' END;
    END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked, tokens, parent_author_id, notice_key)
    VALUES (publication, parent, author, application, new_content, new_locked, publication_tokens(words, author, entities), parent_author,
      CASE WHEN parent_author IS NOT NULL THEN notification_key() END);
  IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
  RETURN 'sent';
END $$;

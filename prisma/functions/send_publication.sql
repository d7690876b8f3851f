-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first; a post waits for no row but one with its own id. That
-- id may be made by the client, so that it can be sent again: the same content, lock and parent by the same author change nothing, and also
-- return sent. Otherwise returns locked or not_found for the parent, which it also is if its author is hidden from the new one, or taken for the
-- id, which may be that of a user. `words` are as in publication_tokens, and `entities` as in set_entities.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, new_content text, new_locked boolean, words text, entities text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
  parent_author uuid;
BEGIN
  IF parent IS NOT NULL THEN
    SELECT CASE
        WHEN p.deleted_at IS NOT NULL OR EXISTS (SELECT FROM hidden_from(author, p.author_id)) THEN 'not_found'
        WHEN p.locked AND p.author_id <> author THEN 'locked' END, nullif(p.author_id, author)
      INTO obstacle, parent_author FROM publications p WHERE p.id = parent FOR NO KEY UPDATE;
    IF NOT FOUND THEN obstacle := 'not_found'; END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked, tokens, parent_author_id, notice_key)
    SELECT publication, parent, author, application, new_content, new_locked, publication_tokens(words, author, entities), parent_author,
      CASE WHEN parent_author IS NOT NULL THEN notification_key() END
    WHERE obstacle IS NULL AND parent IS DISTINCT FROM publication
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = publication)
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN
    IF parent IS NOT NULL THEN
      UPDATE publications p SET reply_count = p.reply_count + 1 WHERE p.id = parent;
    END IF;
    PERFORM add_change('PUBLISHED', author, publication, parent_author);
    IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
    RETURN 'sent';
  END IF;
  PERFORM FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = author AND p.parent_id IS NOT DISTINCT FROM parent
      AND p.content = new_content AND p.locked = new_locked;
  RETURN CASE WHEN FOUND THEN 'sent' ELSE coalesce(obstacle, 'taken') END;
END $$;

-- Inserts a post, or with a parent a reply; either can quote another publication. A parent counts the replies that have its audience, and
-- what is quoted the quotes for everybody. Both are locked first, in the order of their ids. A post without a quote waits for no row but
-- one with its own id. The client may choose the id, to be able to send it again: the same content, lock, audience, warning, language,
-- parent, quote and `quotable` by the same author change nothing, and return sent_before. If `limited` is true, nothing new is sent, and
-- the refusal is limited. Otherwise returns locked or not_found for the parent, wider for an audience that is wider than that of the
-- parent, quote_not_found, not_for_everybody or not_quotable for what is quoted, or taken for the id. What the author does not see is not
-- found. Only its author can quote what is not quotable. The id of a user is taken, too. Who is replied to and quoted is notified of the
-- reply only, who is addressed by a mention of that, and nobody of a quote that they do not see. `words` are as in publication_tokens, and
-- `entities` as in set_entities. Without an audience, a reply has that of its parent, but is for everybody only if a post of the author
-- would be: those of private accounts are for followers. Without a language, what is sent has that of its author, and with `und` none.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, new_content text, new_locked boolean, new_audience text,
  new_warning text, new_language text, quoted uuid, new_quotable boolean, words text, entities text, limited boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
  parent_author uuid;
  parent_audience publication_audience;
  circle uuid;
  quoted_author uuid;
  sent publication_audience;
BEGIN
  IF parent IS NOT NULL OR quoted IS NOT NULL THEN
    WITH target AS MATERIALIZED (
      SELECT p.*, p.deleted_at IS NULL AND NOT EXISTS (SELECT FROM hidden_from(author, p.author_id))
          AND EXISTS (SELECT FROM readable(author, p.author_id, p.audience, p.circle_id, p.parent_author_id) r WHERE r) AS is_seen
        FROM publications p WHERE p.id IN (parent, quoted) ORDER BY p.id FOR NO KEY UPDATE)
    SELECT CASE
        WHEN parent IS NOT NULL AND t.is_seen IS NOT TRUE THEN 'not_found'
        WHEN t.locked AND t.author_id <> author THEN 'locked'
        WHEN quoted IS NOT NULL AND q.is_seen IS NOT TRUE THEN 'quote_not_found'
        WHEN quoted IS NOT NULL AND EXISTS (
          SELECT FROM readable(NULL, q.author_id, q.audience, q.circle_id, q.parent_author_id) r WHERE NOT r) THEN 'not_for_everybody'
        WHEN NOT q.quotable AND q.author_id <> author THEN 'not_quotable' END,
        nullif(t.author_id, author), t.audience, t.circle_id, nullif(nullif(q.author_id, author), t.author_id)
      INTO obstacle, parent_author, parent_audience, circle, quoted_author
      FROM (SELECT) one LEFT JOIN target t ON t.id = parent LEFT JOIN target q ON q.id = quoted;
  END IF;
  sent := coalesce(new_audience::publication_audience, nullif(parent_audience, 'EVERYBODY'),
    CASE WHEN EXISTS (SELECT FROM private_accounts a WHERE a.user_id = author) THEN 'FOLLOWERS' ELSE 'EVERYBODY' END::publication_audience);
  IF sent < parent_audience THEN obstacle := coalesce(obstacle, 'wider'); END IF;
  IF parent IS NULL OR sent > parent_audience THEN
    circle := CASE sent WHEN 'FOLLOWERS' THEN author WHEN 'ADDRESSED' THEN publication END;
  END IF;
  IF EXISTS (SELECT FROM readable(quoted_author, author, sent, circle, parent_author) r WHERE NOT r) THEN quoted_author := NULL; END IF;
  IF limited THEN obstacle := coalesce(obstacle, 'limited'); END IF;
  INSERT INTO publications (id, parent_id, quoted_id, author_id, application_id, content, warning, language, locked, quotable, tokens,
      parent_author_id, notice_key, quoted_author_id, quote_key, audience, circle_id)
    SELECT publication, parent, quoted, author, application, new_content, new_warning,
      nullif(coalesce(new_language, (SELECT u.language FROM users u WHERE u.id = author)), 'und'), new_locked, new_quotable,
      publication_tokens(words, author, entities), parent_author, CASE WHEN parent_author IS NOT NULL THEN notification_key() END,
      quoted_author, CASE WHEN quoted_author IS NOT NULL THEN notification_key() END, sent, circle
    WHERE obstacle IS NULL AND parent IS DISTINCT FROM publication AND quoted IS DISTINCT FROM publication
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = publication)
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN
    IF sent = parent_audience THEN
      UPDATE publications p SET reply_count = p.reply_count + 1 WHERE p.id = parent;
    END IF;
    IF quoted IS NOT NULL AND sent = 'EVERYBODY' THEN
      UPDATE publications p SET quote_count = p.quote_count + 1 WHERE p.id = quoted;
    END IF;
    IF circle = publication THEN
      PERFORM add_addressees(publication, parent, author, parent_author, entities);
    END IF;
    PERFORM add_change('PUBLISHED', author, publication, coalesce(parent_author, quoted_author));
    IF parent_author IS NOT NULL AND quoted_author IS NOT NULL THEN
      INSERT INTO changes (kind, actor_id, publication_id, recipient_id) VALUES ('NOTIFIED', author, publication, quoted_author);
    END IF;
    IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
    RETURN 'sent';
  END IF;
  PERFORM FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = author AND p.parent_id IS NOT DISTINCT FROM parent
      AND p.quoted_id IS NOT DISTINCT FROM quoted AND p.content = new_content AND p.locked = new_locked AND p.quotable = new_quotable
      AND p.warning IS NOT DISTINCT FROM new_warning AND (new_audience IS NULL OR p.audience = sent)
      AND (new_language IS NULL OR p.language IS NOT DISTINCT FROM nullif(new_language, 'und'));
  RETURN CASE WHEN FOUND THEN 'sent_before' ELSE coalesce(obstacle, 'taken') END;
END $$;

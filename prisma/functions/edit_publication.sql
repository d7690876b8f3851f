-- Edits a publication of the viewer, unless it was edited after `since`, in milliseconds since 1970. What is null stays unchanged, and an
-- empty warning and the language `und` are removed. With another content, `words`, as in publication_tokens, and `entities`, as in
-- set_entities, replace the old ones. Each edit has a later time than the one before. Returns edited, not_found, forbidden or changed, or
-- post / reply if the token may not edit that kind.
CREATE OR REPLACE FUNCTION edit_publication(
  publication uuid, viewer uuid, new_content text, new_locked boolean, new_warning text, new_language text, new_quotable boolean,
  posts boolean, replies boolean, since numeric, words text, entities text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  author uuid;
  is_reply boolean;
BEGIN
  UPDATE publications p
    SET content = coalesce(new_content, p.content), locked = coalesce(new_locked, p.locked), quotable = coalesce(new_quotable, p.quotable),
      warning = nullif(coalesce(new_warning, p.warning), ''), language = nullif(coalesce(new_language, p.language), 'und'),
      tokens = CASE WHEN new_content IS NULL THEN p.tokens ELSE publication_tokens(words, viewer, entities) END,
      edited_at = greatest(now(), coalesce(p.edited_at, p.created_at) + interval '1 millisecond')
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = viewer
      AND CASE WHEN p.parent_id IS NULL THEN posts ELSE replies END
      AND (since IS NULL OR extract(epoch FROM coalesce(p.edited_at, p.created_at)) * 1000 <= since);
  IF FOUND THEN
    IF new_content IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], viewer, entities); END IF;
    RETURN 'edited';
  END IF;
  SELECT p.author_id, p.parent_id IS NOT NULL INTO author, is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM hidden_from(viewer, p.author_id))
      AND EXISTS (SELECT FROM readable(viewer, p.author_id, p.audience, p.circle_id, p.parent_author_id) r WHERE r);
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF author <> viewer THEN RETURN 'forbidden'; END IF;
  RETURN CASE WHEN author = viewer THEN 'changed' ELSE 'not_found' END;
END $$;

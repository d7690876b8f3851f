-- Returns what searches compare with a publication: its words and hashtags, as `vectorOf` writes them, and the accounts that it mentions.
CREATE OR REPLACE FUNCTION publication_tokens(words text, author uuid, entities text) RETURNS tsvector
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF entities IS NULL THEN RETURN words::tsvector; END IF;
  RETURN words::tsvector || array_to_tsvector(ARRAY(SELECT DISTINCT '@' || m.user_id FROM users_mentioned(author, entities) m));
END $$;

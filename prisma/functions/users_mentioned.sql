-- Returns the accounts that the JSON of `entitiesIn` mentions, with the ranges of the mentions. Unknown usernames, those of accounts with a
-- block between them and the author, and those after the maximum number of mentions are plain text. Suspended accounts are mentioned: they
-- may come back.
CREATE OR REPLACE FUNCTION users_mentioned(author uuid, entities text) RETURNS TABLE (user_id uuid, range_start int, range_end int)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
    SELECT u.id, m.start, m."end"
    FROM jsonb_to_recordset(entities::jsonb->'mentions') m(start int, "end" int, username text)
      JOIN users u ON u.id = user_named(m.username)
    WHERE NOT EXISTS (SELECT FROM blocked_pairs h WHERE h.viewer_id = author AND h.hidden_id = u.id)
    ORDER BY m.start LIMIT ${maxMentions};
END $$;

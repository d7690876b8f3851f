-- The accounts that the JSON of `entitiesIn` mentions, with their places. Unknown usernames, and those of accounts that are hidden from the
-- author, are text, and so is what comes after the most mentions that a text may have.
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

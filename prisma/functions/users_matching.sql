-- Returns at most 1,000 accounts whose display names match a query. If very many match, it returns a random sample of them, because the
-- index would read them all. It uses only bitmap scans, which are off for other statements.
CREATE OR REPLACE FUNCTION users_matching(query tsquery) RETURNS TABLE (id uuid) LANGUAGE plpgsql STABLE
SET enable_bitmapscan = on SET gin_fuzzy_search_limit = 10000 AS $$
BEGIN
  RETURN QUERY SELECT u.id FROM users u WHERE u.name_tokens @@ query LIMIT 1000;
END $$;

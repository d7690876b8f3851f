-- Accounts whose display names match a query, by their index, at most 1,000, and of those that very many match a random sample, since the index
-- would read them all. It has bitmap scans alone, which the service does without elsewhere.
CREATE OR REPLACE FUNCTION users_matching(query tsquery) RETURNS TABLE (id uuid) LANGUAGE plpgsql STABLE
SET enable_bitmapscan = on SET gin_fuzzy_search_limit = 10000 AS $$
BEGIN
  RETURN QUERY SELECT u.id FROM users u WHERE u.name_tokens @@ query LIMIT 1000;
END $$;

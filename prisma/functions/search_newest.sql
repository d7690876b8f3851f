-- A step of a search: the newest publications before an id, of all or of an author. Returns which of them match, the last one if more may
-- follow, and how many of them the index would find.
CREATE OR REPLACE FUNCTION search_newest(query tsquery, near tsquery, author uuid, before uuid, most int,
  OUT hits uuid[], OUT last uuid, OUT candidates int)
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  SELECT array_agg(n.id ORDER BY n.id DESC) FILTER (WHERE n.deleted_at IS NULL AND (query IS NULL OR n.tokens @@ query)),
      (array_agg(n.id ORDER BY n.id DESC))[most], count(*) FILTER (WHERE n.tokens @@ near)
    INTO hits, last, candidates
    FROM (
      (SELECT p.id, p.tokens, p.deleted_at FROM publications p WHERE author IS NULL AND p.id < before
        ORDER BY p.id DESC LIMIT most)
      UNION ALL
      (SELECT p.id, p.tokens, p.deleted_at FROM publications p WHERE p.author_id = author AND p.id < before
        ORDER BY p.id DESC LIMIT most)) n;
END $$;

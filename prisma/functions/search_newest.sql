-- A step of a search: the newest publications before an id, of all or of an author. Returns which of them match, the last one if more may
-- follow, and how many of them that the viewer may see the index would find. Mutes count where no author is given.
CREATE OR REPLACE FUNCTION search_newest(query tsquery, near tsquery, author uuid, viewer uuid, hides boolean, languages text[],
  before uuid, most int, OUT hits uuid[], OUT last uuid, OUT candidates int)
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  coarse tsquery := coalesce(near, query);
BEGIN
  SELECT array_agg(n.id ORDER BY n.id DESC)
        FILTER (WHERE n.is_near AND (query IS NULL OR n.tokens @@ query) AND in_languages(n.language, languages)),
      (array_agg(n.id ORDER BY n.id DESC))[most], count(*) FILTER (WHERE n.is_near)
    INTO hits, last, candidates
    FROM (
      SELECT p.id, p.tokens, p.language, p.deleted_at IS NULL AND (coarse IS NULL OR p.tokens @@ coarse)
          AND NOT (hides AND EXISTS (SELECT FROM unfound_by(viewer, p.author_id, author IS NULL)))
          AND coalesce((SELECT r FROM readable(viewer, p.author_id, p.audience, p.circle_id, p.parent_author_id) r), false)
          AS is_near
        FROM (
          (SELECT p.* FROM publications p WHERE author IS NULL AND p.id < before
            ORDER BY p.id DESC LIMIT most)
          UNION ALL
          (SELECT p.* FROM publications p WHERE p.author_id = author AND p.id < before
            ORDER BY p.id DESC LIMIT most)) p
        OFFSET 0) n;
END $$;

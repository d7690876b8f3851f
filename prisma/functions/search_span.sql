-- A step of a search that asks the index: for the newest publications before an id whose ids begin with the same digits. Returns which of
-- them match, where those digits begin if more may follow, how many the index found that the viewer may see, how many that are hidden, and
-- how many posting items it read: those of the digits, if not so many as are expected of the rarest term. If this or what it found is too
-- much, the step is void.
CREATE OR REPLACE FUNCTION search_span(query tsquery, near tsquery, author uuid, viewer uuid, hides boolean, languages text[], before uuid,
  digits int, most int, reach int, INOUT items int, OUT hits uuid[], OUT last uuid, OUT candidates int, OUT hidden int, OUT is_void boolean)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = on AS $$
DECLARE
  newest uuid := CASE WHEN author IS NULL
    THEN (SELECT p.id FROM publications p WHERE p.id < before ORDER BY p.id DESC LIMIT 1)
    ELSE (SELECT p.id FROM publications p WHERE p.author_id = author AND p.id < before ORDER BY p.id DESC LIMIT 1) END;
  span text := left(newest::text, digits);
  first uuid := rpad(span, 8, '0') || '-0000-0000-0000-000000000000';
  final uuid := rpad(span, 8, 'f') || '-ffff-ffff-ffff-ffffffffffff';
  indexed tsquery;
BEGIN
  candidates := 0;
  hidden := 0;
  last := first;
  SELECT count(*) INTO items
    FROM (SELECT FROM publications p WHERE p.id BETWEEN first AND final LIMIT least(items, reach + 1)) s;
  is_void := items > reach;
  IF newest IS NULL OR is_void THEN RETURN; END IF;
  indexed := near && concat_ws(' & ', quote_literal('~' || span), quote_literal('~@' || author))::tsquery;
  SELECT array_agg(f.id ORDER BY f.id DESC)
        FILTER (WHERE f.is_found AND f.tokens @@ query AND in_languages(f.language, languages) AND f.id < before),
      count(*) FILTER (WHERE f.is_found), count(*) FILTER (WHERE NOT f.is_found)
    INTO hits, candidates, hidden
    FROM (
      SELECT p.id, p.tokens, p.language, NOT (hides AND EXISTS (SELECT FROM unfound_by(viewer, p.author_id, author IS NULL)))
          AND coalesce((SELECT r FROM readable(viewer, p.author_id, p.audience, p.circle_id, p.parent_author_id) r), false)
          AS is_found
        FROM publications p
        WHERE p.deleted_at IS NULL AND search_terms(p.tokens, p.id, p.author_id) @@ indexed LIMIT 2 * most + 1) f;
  is_void := candidates > most OR candidates + hidden > 2 * most;
END $$;

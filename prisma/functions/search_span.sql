-- A step of a search that asks the index: for the newest publications before an id whose ids begin with the same digits. Returns which of
-- them match, where those digits begin if more may follow, and how many the index found. If these are too many, the step is void.
CREATE OR REPLACE FUNCTION search_span(query tsquery, near tsquery, author uuid, before uuid, digits int, most int,
  OUT hits uuid[], OUT last uuid, OUT candidates int)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = on AS $$
DECLARE
  newest uuid := CASE WHEN author IS NULL
    THEN (SELECT p.id FROM publications p WHERE p.id < before ORDER BY p.id DESC LIMIT 1)
    ELSE (SELECT p.id FROM publications p WHERE p.author_id = author AND p.id < before ORDER BY p.id DESC LIMIT 1) END;
  span text := left(newest::text, digits);
  sought tsquery;
BEGIN
  candidates := 0;
  IF newest IS NULL THEN RETURN; END IF;
  sought := near && concat_ws(' & ', quote_literal('~' || span), quote_literal('~@' || author))::tsquery;
  SELECT array_agg(f.id ORDER BY f.id DESC) FILTER (WHERE f.is_hit AND f.id < before), count(*) INTO hits, candidates
    FROM (SELECT p.id, p.tokens @@ query AS is_hit FROM publications p
      WHERE p.deleted_at IS NULL AND search_terms(p.tokens, p.id, p.author_id) @@ sought LIMIT most + 1) f;
  last := (rpad(span, 8, '0') || '-0000-0000-0000-000000000000')::uuid;
END $$;

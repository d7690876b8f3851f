-- The newest publications between two ids that match a query, are in some languages (see in_languages) and that a viewer may see, of all or
-- of an author: at most `wanted`, and where the page ended, if more may follow. `terms` are what the index has of all that match, if it can
-- say. A page scans 10,000 publications in their order, compares 2,000 that the index finds, or has it read 100,000 posting items, which
-- all cost the same. So it begins with the newest, and goes on so if the index would find one in 20. Otherwise it asks the index for its
-- four rarest terms, because more only take time, and for longer times while that finds few. What is hidden from the viewer takes nothing
-- of this, and moves the end of a page only if the index finds more than `most` of it in a step, or four times as much for the page, so
-- that nobody learns of fewer.
CREATE OR REPLACE FUNCTION search_page(query tsquery, terms tsquery[], author uuid, viewer uuid, hides boolean,
  languages text[], before uuid, after uuid, wanted int, OUT ids uuid[], OUT ended uuid)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  most constant int := 512; -- what the index may find in one step
  reach constant int := 16384; -- the posting items that it may read in one
  scanning constant int := CASE WHEN author IS NULL THEN 10 ELSE 50 END; -- those of an author lie apart
  comparing constant int := 50;
  budget int := 100000;
  near tsquery := (SELECT string_agg('(' || t.term::text || ')', ' & ') FROM unnest(terms) t(term));
  items int; -- the posting items of the rarest term
  hidden int := 0;
  scanned int := 200;
  digits int := 7; -- 7 scans, fewer ask the index
  crowded uuid := before; -- where the last time began that had too much
  step record;
BEGIN
  ids := '{}';
  -- A private account is searched nevertheless: it may have replied to the viewer, or addressed them.
  IF hides AND EXISTS (SELECT FROM unfound_by(viewer, author, false)) THEN RETURN; END IF;
  ended := before;
  WHILE cardinality(ids) < wanted AND ended IS NOT NULL AND budget > 0 AND hidden <= 4 * most LOOP
    IF digits = 7 THEN
      step := search_newest(query, near, author, viewer, hides, languages, ended, scanned);
      budget := budget - scanned * scanning;
      IF step.candidates * 20 <= scanned THEN digits := 6; END IF;
      scanned := least(scanned * 10, greatest(budget / scanning, 200));
    ELSE
      step := search_span(query, near, author, viewer, hides, languages, ended, digits, most, reach, items);
      -- How many a void step counts beyond `most` depends on what is hidden.
      budget := budget - step.items - comparing * (10 + least(step.candidates, most + 1));
      IF step.is_void THEN
        budget := budget - comparing * greatest(step.hidden - most, 0);
        digits := digits + 1;
        crowded := step.last;
        IF digits = 7 THEN near := NULL; END IF;
        CONTINUE;
      END IF;
      hidden := hidden + step.hidden;
      IF step.last <= crowded AND step.candidates < most / 16 AND (items <= reach OR step.items < reach / 16) THEN
        digits := greatest(digits - 1, 3);
      END IF;
    END IF;
    IF near IS NULL THEN digits := 7;
    ELSIF digits < 7 AND items IS NULL THEN
      SELECT string_agg('(' || t.term::text || ')', ' & '), min(t.items) INTO near, items
        FROM (SELECT t.term, publications_expected(format('p.tokens @@ %L', t.term)) AS items FROM unnest(terms) t(term)
          ORDER BY 2 LIMIT 4) t;
      items := least(items, CASE WHEN author IS NOT NULL THEN publications_expected(format('p.author_id = %L', author)) END);
    END IF;
    ids := ids || step.hits[:wanted - cardinality(ids)];
    ended := CASE WHEN cardinality(ids) = wanted THEN ids[wanted] WHEN step.last > after THEN step.last END;
  END LOOP;
END $$;

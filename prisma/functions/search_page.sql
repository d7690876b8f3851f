-- The newest publications between two ids that match a query, of all or of an author: at most `wanted`, and where the page ended, if more may
-- follow. `near` is what the index has of all that match; null if it cannot say. A page compares 2,000 publications, or walks over 20,000 in
-- their order, which is as cheap. So it begins with the newest, and walks on if the index would find one in 20. Otherwise it asks the
-- index, for longer times while that finds few.
CREATE OR REPLACE FUNCTION search_page(query tsquery, near tsquery, author uuid, before uuid, after uuid, wanted int,
  OUT ids uuid[], OUT ended uuid)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  most constant int := 512; -- what the index may find in one step
  weight constant int := CASE WHEN author IS NULL THEN 10 ELSE 1 END; -- those of an author lie apart
  budget int := 2000;
  walked int := 200;
  digits int := 7; -- 7 walks, fewer ask the index
  step record;
BEGIN
  ids := '{}';
  ended := before;
  FOR turn IN 1 .. 32 LOOP
    IF digits = 7 THEN
      step := search_newest(query, near, author, ended, walked);
      budget := budget - walked / weight;
      IF step.candidates * 20 <= walked THEN digits := 6; END IF;
      walked := least(walked * 10, budget * weight);
    ELSE
      step := search_span(query, near, author, ended, digits, most);
      budget := budget - step.candidates;
      IF step.candidates > most THEN
        digits := digits + 1;
        IF digits = 7 THEN near := NULL; END IF;
        CONTINUE;
      END IF;
      IF step.candidates < most / 16 THEN digits := greatest(digits - 1, 3); END IF;
    END IF;
    IF near IS NULL THEN digits := 7; END IF;
    ids := ids || step.hits[:wanted - cardinality(ids)];
    ended := CASE WHEN cardinality(ids) = wanted THEN ids[wanted] WHEN step.last > after THEN step.last END;
    EXIT WHEN cardinality(ids) = wanted OR ended IS NULL OR budget <= 0;
  END LOOP;
END $$;

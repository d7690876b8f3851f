-- Detaches a quote from a publication of the viewer, who is no longer notified of it; both are locked first, in the order of their ids.
-- What quoted it keeps its text. Returns detached, or not_found if it quotes nothing of the viewer's. The viewer need not see it.
CREATE OR REPLACE FUNCTION detach_quote(publication uuid, viewer uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  quoted uuid := (SELECT p.quoted_id FROM publications p WHERE p.id = publication);
BEGIN
  PERFORM FROM publications p WHERE p.id IN (publication, quoted) ORDER BY p.id FOR NO KEY UPDATE;
  UPDATE publications p SET quoted_id = NULL, quoted_author_id = NULL, quote_key = NULL
    WHERE p.id = publication AND p.quoted_id = quoted AND p.deleted_at IS NULL
      AND EXISTS (SELECT FROM publications q WHERE q.id = quoted AND q.author_id = viewer);
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  UPDATE publications q SET quote_count = q.quote_count - 1
    FROM publications p WHERE q.id = quoted AND p.id = publication AND p.audience = 'EVERYBODY';
  RETURN 'detached';
END $$;

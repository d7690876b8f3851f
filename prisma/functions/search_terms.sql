-- What the index of publications has of one: its tokens, its author, and when it was sent, as the beginnings of its id: 3 of its digits
-- are 2 years, 4 are 50 days, 5 are 3 days, and 6 are 5 hours.
CREATE OR REPLACE FUNCTION search_terms(tokens tsvector, id uuid, author uuid) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tokens || array_to_tsvector(ARRAY[
  '~@' || author, '~' || left(id::text, 3), '~' || left(id::text, 4), '~' || left(id::text, 5), '~' || left(id::text, 6)]);

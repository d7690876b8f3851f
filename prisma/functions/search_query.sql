-- What `search_text` is searched for: words, "phrases", or, -without. Characters without spaces between words have to stand side by side.
CREATE OR REPLACE FUNCTION search_query(sought text) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN websearch_to_tsquery('simple', search_text(regexp_replace(normalize(sought, NFKC),
    '([\u0e01-\u0e4e\u2e80-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)', '"\1"', 'g')));
END $$;

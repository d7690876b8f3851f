-- A text as search compares it: in lower case, without accents and points, and with spaces around the characters of scripts that
-- write none between words (Thai, Chinese, Japanese).
CREATE OR REPLACE FUNCTION search_text(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
  normalize(regexp_replace(normalize(replace(replace(lower(replace(content, '/', ' ')), 'ß', 'ss'), 'ς', 'σ'), NFKD),
    '[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f]', '', 'g'), NFKC),
  '([\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*|[\u2e80-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])',
  ' \1 ', 'g');

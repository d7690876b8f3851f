-- Whether a text with this language, null if that is unknown, is in one of some languages (RFC 4647, basic filtering). These are patterns:
-- `en-%` for English, and `-` for an unknown language. Null is all languages.
CREATE OR REPLACE FUNCTION in_languages(language text, patterns text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT patterns IS NULL OR coalesce(language, '') || '-' LIKE ANY (patterns)
$$;

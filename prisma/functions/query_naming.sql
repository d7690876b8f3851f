-- A query that has accounts by their usernames, as '@name', with their ids instead, which are what publications have. Nothing has a username
-- that is unknown.
CREATE OR REPLACE FUNCTION query_naming(sought text, usernames text[]) RETURNS tsquery LANGUAGE plpgsql STABLE AS $$
DECLARE
  username text;
BEGIN
  FOREACH username IN ARRAY usernames LOOP
    sought := replace(sought, '''@' || username || '''', '''@' || coalesce(user_named(username)::text, username) || '''');
  END LOOP;
  RETURN sought::tsquery;
END $$;

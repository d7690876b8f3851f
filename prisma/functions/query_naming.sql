-- Returns a query in which usernames, as '@name', are replaced by the ids of their accounts, which the index of publications has. No
-- publication matches an unknown username.
CREATE OR REPLACE FUNCTION query_naming(search text, usernames text[]) RETURNS tsquery LANGUAGE plpgsql STABLE AS $$
DECLARE
  username text;
BEGIN
  FOREACH username IN ARRAY usernames LOOP
    search := replace(search, '''@' || username || '''', '''@' || coalesce(user_named(username)::text, username) || '''');
  END LOOP;
  RETURN search::tsquery;
END $$;

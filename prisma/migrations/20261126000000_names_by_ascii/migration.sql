-- Names are compared and sorted by their bytes and ignore the case of ASCII letters only, whatever the locale of the database. A locale such
-- as Turkish let accounts have usernames that are equal now.
DO $$
DECLARE
  equal text;
BEGIN
  SELECT string_agg(usernames, '; ') INTO equal FROM (
    SELECT string_agg(username, ', ' ORDER BY id) AS usernames FROM users
    GROUP BY lower(username COLLATE "C") HAVING count(*) > 1 LIMIT 20) groups;
  IF equal IS NOT NULL THEN
    RAISE unique_violation USING MESSAGE = 'these usernames differ in case only: ' || equal ||
      '. Give all but one account of each group another one, in the column "username" of the table "users"';
  END IF;
END $$;

ALTER TABLE users
  ALTER COLUMN username TYPE TEXT COLLATE "C",
  ALTER COLUMN email TYPE TEXT COLLATE "C";

ALTER TABLE badges ALTER COLUMN name TYPE TEXT COLLATE "C";

-- No other index may depend on the locale either.
ALTER TABLE trusted_documents ALTER COLUMN hash TYPE TEXT COLLATE "C";

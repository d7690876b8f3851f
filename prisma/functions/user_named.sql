-- Returns the account with this username, which is in lower case, or else the account that it is reserved for.
CREATE OR REPLACE FUNCTION user_named(name text) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_user uuid;
BEGIN
  SELECT u.id INTO found_user FROM users u WHERE lower(u.username) = name;
  IF NOT FOUND THEN
    SELECT f.user_id INTO found_user FROM former_usernames f WHERE f.username = name AND f.kept_until > now();
  END IF;
  RETURN found_user;
END $$;

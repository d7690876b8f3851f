-- Reserves the last username of an account for some days, in place of the one before it, and refuses a username that is reserved for
-- another account as if it were taken. It runs after the unique index has waited for others who take or leave the same username, so it sees
-- what they have done.
CREATE OR REPLACE FUNCTION keep_username() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND lower(OLD.username) = lower(NEW.username) THEN RETURN NULL; END IF;
  PERFORM FROM former_usernames f WHERE f.username = lower(NEW.username) AND f.user_id <> NEW.id AND f.kept_until > now();
  IF FOUND THEN
    RAISE unique_violation USING MESSAGE = 'another account keeps this username', CONSTRAINT = 'users_username_key';
  END IF;
  -- Locked in one order, because others may want both.
  PERFORM FROM former_usernames f WHERE f.username = lower(NEW.username) OR f.user_id = NEW.id ORDER BY f.username FOR UPDATE;
  DELETE FROM former_usernames f WHERE f.username = lower(NEW.username) OR f.user_id = NEW.id;
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO former_usernames (username, user_id, kept_until) VALUES (lower(OLD.username), NEW.id, now() + interval '${usernameKeptDays} days');
  END IF;
  RETURN NULL;
END $$;

-- Keeps the username that an account leaves for 90 days, and refuses one that another account keeps as if it were taken. It runs after the
-- unique index has waited for others who have or leave the same username, so it sees what they have done. Only the case may always change.
CREATE OR REPLACE FUNCTION keep_username() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND lower(OLD.username) = lower(NEW.username) THEN RETURN NULL; END IF;
  PERFORM FROM former_usernames f WHERE f.username = lower(NEW.username) AND f.user_id <> NEW.id AND f.kept_until > now();
  IF FOUND THEN
    RAISE unique_violation USING MESSAGE = 'another account keeps this username', CONSTRAINT = 'users_username_key';
  END IF;
  DELETE FROM former_usernames f WHERE f.username = lower(NEW.username);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO former_usernames (username, user_id, kept_until) VALUES (lower(OLD.username), NEW.id, now() + interval '90 days');
  END IF;
  RETURN NULL;
END $$;

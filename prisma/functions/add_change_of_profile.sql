-- Writes the change of a profile, which only its account can see.
CREATE OR REPLACE FUNCTION add_change_of_profile() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, user_id) VALUES ('PROFILE_EDITED', NEW.id, NEW.id);
  RETURN NULL;
END $$;

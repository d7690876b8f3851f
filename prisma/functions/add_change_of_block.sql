-- Writes the change of a block, which only its two accounts see.
CREATE OR REPLACE FUNCTION add_change_of_block() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, user_id) VALUES ('BLOCKED', NEW.blocker_id, NEW.blocked_id);
  ELSE
    INSERT INTO changes (kind, actor_id, user_id) VALUES ('UNBLOCKED', OLD.blocker_id, OLD.blocked_id);
  END IF;
  RETURN NULL;
END $$;

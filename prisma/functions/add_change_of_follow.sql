-- Writes the change of a follow. Every counter that moves has a change that says why, also when an account is deleted.
CREATE OR REPLACE FUNCTION add_change_of_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, user_id, recipient_id)
      VALUES ('FOLLOWED', NEW.follower_id, NEW.followee_id, CASE WHEN NEW.notice_key IS NOT NULL THEN NEW.followee_id END);
  ELSE
    INSERT INTO changes (kind, actor_id, user_id, recipient_id)
      VALUES ('UNFOLLOWED', OLD.follower_id, OLD.followee_id, CASE WHEN OLD.notice_key IS NOT NULL THEN OLD.followee_id END);
  END IF;
  RETURN NULL;
END $$;

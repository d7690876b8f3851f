-- Notifies a user of a new follower, and takes that back with the follow.
CREATE OR REPLACE FUNCTION add_notification_of_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(NEW.followee_id, 'FOLLOW', NEW.followee_id, NEW.follower_id);
  ELSE
    PERFORM undo_event(OLD.followee_id, OLD.follower_id);
  END IF;
  RETURN NULL;
END $$;

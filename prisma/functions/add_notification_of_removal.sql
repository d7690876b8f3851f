-- Tells the author of a publication that moderators removed it, and why, but not who did.
CREATE OR REPLACE FUNCTION add_notification_of_removal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  key uuid := notification_key();
BEGIN
  INSERT INTO notifications (id, latest_id, user_id, kind, subject_id, reason)
    SELECT key, key, u.id, 'REMOVED', NEW.subject_id, NEW.reason FROM users u WHERE u.id = NEW.user_id;
  INSERT INTO changes (kind, actor_id, publication_id, user_id) VALUES ('NOTIFIED', NEW.user_id, NEW.subject_id, NEW.user_id);
  RETURN NULL;
END $$;

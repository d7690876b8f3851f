-- Adds a change when an unread notification was taken back or returned, so that its recipient learns the number of unread ones.
CREATE OR REPLACE FUNCTION add_change_of_notification() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, user_id) VALUES ('NOTIFIED', NEW.user_id, NEW.user_id);
  RETURN NULL;
END $$;

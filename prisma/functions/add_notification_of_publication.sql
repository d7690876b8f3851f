-- Notifies the author of a publication of a reply to it. The deletion of a publication takes all notifications about it back.
CREATE OR REPLACE FUNCTION add_notification_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(p.author_id, 'REPLY', NEW.id, NEW.author_id) FROM publications p
      WHERE p.id = NEW.parent_id AND p.author_id <> NEW.author_id;
  ELSE
    UPDATE notifications n SET count = 0 WHERE n.id IN (
      SELECT n.id FROM notifications n WHERE n.subject_id = NEW.id AND n.kind = 'LIKE' AND NOT n.unread
      UNION ALL SELECT n.id FROM notifications n
        WHERE n.user_id = NEW.author_id AND n.subject_id = NEW.id AND n.kind = 'LIKE' AND n.unread
      UNION ALL SELECT e.notification_id FROM notification_events e WHERE e.subject_id = NEW.id AND e.actor_id = NEW.author_id);
  END IF;
  RETURN NULL;
END $$;

-- Notifies a user of a publication that mentions them, and takes that back with the last mention in it. A reply to them stays one.
CREATE OR REPLACE FUNCTION add_notification_of_mention() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  gone uuid;
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(NEW.user_id, 'MENTION', p.id, p.author_id) FROM publications p
      WHERE p.id = NEW.publication_id AND p.author_id <> NEW.user_id;
  ELSIF NOT EXISTS (SELECT FROM mentions m WHERE m.publication_id = OLD.publication_id AND m.user_id = OLD.user_id) THEN
    UPDATE notification_events e SET undone = true FROM publications p, notifications n
      WHERE p.id = OLD.publication_id AND e.subject_id = p.id AND e.actor_id = p.author_id AND e.user_id = OLD.user_id
        AND NOT e.undone AND n.id = e.notification_id AND n.kind = 'MENTION'
      RETURNING e.notification_id INTO gone;
    UPDATE notifications n SET count = 0 WHERE n.id = gone;
  END IF;
  RETURN NULL;
END $$;

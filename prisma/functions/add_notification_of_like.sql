-- Notifies the author of a publication of a like, and takes that back with it.
CREATE OR REPLACE FUNCTION add_notification_of_like() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(p.author_id, 'LIKE', p.id, NEW.user_id) FROM publications p
      WHERE p.id = NEW.publication_id AND p.author_id <> NEW.user_id;
  ELSE
    PERFORM undo_event(p.id, OLD.user_id) FROM publications p WHERE p.id = OLD.publication_id AND p.deleted_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

-- Each edit of an account has a later time than the one before, so that times tell edits apart.
CREATE OR REPLACE FUNCTION note_edit() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.edited_at := greatest(now(), coalesce(OLD.edited_at, OLD.joined_at) + interval '1 millisecond');
  RETURN NEW;
END $$;

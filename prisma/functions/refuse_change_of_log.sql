-- Entries of the moderation log cannot be changed or removed.
CREATE OR REPLACE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The moderation log can only be added to.';
END $$;

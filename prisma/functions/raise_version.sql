-- Clients compare the versions of rows to tell whether they changed, so every update raises the version of its row.
CREATE OR REPLACE FUNCTION raise_version() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

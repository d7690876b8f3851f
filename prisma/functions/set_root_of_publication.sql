-- Sets the root of a new publication: a post is its own root, and a reply has the root of its parent.
CREATE OR REPLACE FUNCTION set_root_of_publication() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.parent_id IS NULL THEN
    NEW.root_id := NEW.id;
  ELSE
    SELECT p.root_id INTO NEW.root_id FROM publications p WHERE p.id = NEW.parent_id;
  END IF;
  RETURN NEW;
END $$;

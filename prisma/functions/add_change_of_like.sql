-- Writes the change of a like. Every counter that moves has a change that says why, also when an account is deleted. Only likes of a deleted
-- publication end without a change, because that publication has no counter any more.
CREATE OR REPLACE FUNCTION add_change_of_like() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, recipient_id)
      SELECT 'LIKED', NEW.user_id, p.id, p.parent_id, p.root_id, NEW.author_id FROM publications p WHERE p.id = NEW.publication_id;
  ELSE
    INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, recipient_id)
      SELECT 'UNLIKED', OLD.user_id, p.id, p.parent_id, p.root_id, OLD.author_id FROM publications p
      WHERE p.id = OLD.publication_id AND p.deleted_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

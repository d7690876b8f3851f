-- Writes the change of a publication that is sent, or of a relation to it such as a like, with the account that is notified of it, if there is one.
CREATE OR REPLACE FUNCTION add_change(kind change_kind, actor uuid, publication uuid, recipient uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, quoted_id, recipient_id)
    SELECT add_change.kind, actor, p.id, p.parent_id, p.root_id, p.quoted_id, recipient FROM publications p WHERE p.id = publication;
END $$;

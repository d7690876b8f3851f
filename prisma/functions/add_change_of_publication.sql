-- Writes the change of a publication that is edited or deleted. Its hashtags are still those from before.
CREATE OR REPLACE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, hashtag_ids, recipient_id) VALUES (
    CASE WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id, NEW.root_id,
    (SELECT array_agg(u.hashtag_id) FROM hashtag_uses u WHERE u.publication_id = NEW.id AND u.is_first),
    CASE WHEN NEW.deleted_at IS NOT NULL THEN NEW.parent_author_id END);
  RETURN NULL;
END $$;

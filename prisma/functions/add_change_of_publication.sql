-- Writes the change of a publication that is sent, edited or deleted. As for likes and follows, this runs as the owner of the function, in its
-- schema: who writes needs no rights on changes, and may use any search path. Its hashtags are still those from before.
CREATE OR REPLACE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, hashtag_ids, recipient_id) VALUES (
    CASE WHEN TG_OP = 'INSERT' THEN 'PUBLISHED' WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id, NEW.root_id,
    CASE WHEN TG_OP = 'UPDATE' THEN
      (SELECT array_agg(u.hashtag_id) FROM hashtag_uses u WHERE u.publication_id = NEW.id AND u.is_first) END,
    CASE WHEN TG_OP = 'INSERT' OR NEW.deleted_at IS NOT NULL THEN NEW.parent_author_id END);
  RETURN NULL;
END $$;

-- Writes the change of a publication that is edited or deleted, or whose quote is detached or, by an import, added. At this time, the
-- publication still has its old hashtags. With a deletion, the author of the parent and that of what it quoted lose a notification, and with
-- a detached quote the latter.
CREATE OR REPLACE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, quoted_id, hashtag_ids, recipient_id) VALUES (
    CASE WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id, NEW.root_id, coalesce(NEW.quoted_id, OLD.quoted_id),
    (SELECT array_agg(u.hashtag_id) FROM hashtag_uses u WHERE u.publication_id = NEW.id AND u.is_listed),
    CASE WHEN NEW.deleted_at IS NOT NULL THEN coalesce(NEW.parent_author_id, OLD.quoted_author_id) END);
  IF OLD.quoted_author_id IS NOT NULL
    AND (NEW.deleted_at IS NULL AND NEW.quoted_id IS NULL OR NEW.deleted_at IS NOT NULL AND NEW.parent_author_id IS NOT NULL) THEN
    INSERT INTO changes (kind, actor_id, recipient_id) VALUES ('NOTIFIED', NEW.author_id, OLD.quoted_author_id);
  END IF;
  RETURN NULL;
END $$;

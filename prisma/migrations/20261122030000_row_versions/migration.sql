-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "version" BIGINT NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "publications" ADD COLUMN     "version" BIGINT NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "version" BIGINT NOT NULL DEFAULT 1;

-- Entity tags are derived from the versions of rows, so every update raises the version of its row.
CREATE FUNCTION raise_version() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER raise_version BEFORE UPDATE ON applications FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER raise_version BEFORE UPDATE ON publications FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER raise_version BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION raise_version();

CREATE OR REPLACE VIEW live_publications AS
  SELECT id, parent_id, author_id, application_id, content, locked, reply_count, like_count, created_at, edited_at, version
  FROM publications
  WHERE deleted_at IS NULL;

-- Edits a publication of the viewer, unless it was edited after `since`, in milliseconds since 1970; what is null stays unchanged. Each
-- edit has a later time than the one before. Returns edited, not_found, forbidden or changed; or post / reply where the token may not
-- edit that kind.
DROP FUNCTION edit_publication(uuid, uuid, text, boolean, boolean, boolean);
CREATE FUNCTION edit_publication(
  publication uuid, viewer uuid, new_content text, new_locked boolean, posts boolean, replies boolean, since numeric)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  author uuid;
  is_reply boolean;
BEGIN
  UPDATE publications p
    SET content = coalesce(new_content, p.content), locked = coalesce(new_locked, p.locked),
      edited_at = greatest(now(), coalesce(p.edited_at, p.created_at) + interval '1 millisecond')
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = viewer
      AND CASE WHEN p.parent_id IS NULL THEN posts ELSE replies END
      AND (since IS NULL OR extract(epoch FROM coalesce(p.edited_at, p.created_at)) * 1000 <= since);
  IF FOUND THEN RETURN 'edited'; END IF;
  SELECT p.author_id, p.parent_id IS NOT NULL INTO author, is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF author <> viewer THEN RETURN 'forbidden'; END IF;
  RETURN CASE WHEN author = viewer THEN 'changed' ELSE 'not_found' END;
END $$;

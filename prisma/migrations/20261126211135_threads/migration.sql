-- AlterTable
ALTER TABLE "publications" ADD COLUMN     "root_id" UUID;

-- AlterTable
ALTER TABLE "changes" ADD COLUMN     "root_id" UUID;

-- CreateTable
CREATE TABLE "backfills" (
    "name" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "backfills_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "publications_threads" ON "publications"("root_id", "id") WHERE (root_id IS NOT NULL);

-- Writes the change of a like. Every counter that moves has a change that says why, also when an account is deleted. Only likes of a deleted
-- publication end without a change, because that publication has no counter any more.
CREATE OR REPLACE FUNCTION add_change_of_like() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id)
      SELECT 'LIKED', NEW.user_id, p.id, p.parent_id, p.root_id FROM publications p WHERE p.id = NEW.publication_id;
  ELSE
    INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id)
      SELECT 'UNLIKED', OLD.user_id, p.id, p.parent_id, p.root_id FROM publications p
      WHERE p.id = OLD.publication_id AND p.deleted_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

-- Writes the change of a publication that is sent, edited or deleted. As for likes and follows, this runs as the owner of the function, in its
-- schema: who writes needs no rights on changes, and may use any search path.
CREATE OR REPLACE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id) VALUES (
    CASE WHEN TG_OP = 'INSERT' THEN 'PUBLISHED' WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id, NEW.root_id);
  RETURN NULL;
END $$;

-- Sets the root of a new publication: a post is its own, a reply has that of its parent, which is null until that is filled.
CREATE OR REPLACE FUNCTION set_root_of_publication() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.parent_id IS NULL THEN
    NEW.root_id := NEW.id;
  ELSE
    SELECT p.root_id INTO NEW.root_id FROM publications p WHERE p.id = NEW.parent_id;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER set_root BEFORE INSERT ON publications FOR EACH ROW EXECUTE FUNCTION set_root_of_publication();

-- To fill the root of an older publication changes nothing that anybody has read.
CREATE OR REPLACE TRIGGER raise_version BEFORE UPDATE ON publications FOR EACH ROW
  WHEN (NEW.root_id IS NOT DISTINCT FROM OLD.root_id) EXECUTE FUNCTION raise_version();

INSERT INTO backfills SELECT 'thread_roots' WHERE EXISTS (SELECT FROM publications);

CREATE OR REPLACE VIEW live_publications AS
  SELECT id, parent_id, author_id, application_id, content, locked, reply_count, like_count, created_at, edited_at, version, root_id
  FROM publications
  WHERE deleted_at IS NULL;

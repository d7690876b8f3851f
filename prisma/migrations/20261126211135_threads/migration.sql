-- AlterTable
ALTER TABLE "publications" ADD COLUMN     "root_id" UUID;

-- CreateTable
CREATE TABLE "backfills" (
    "name" TEXT NOT NULL,

    CONSTRAINT "backfills_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "publications_threads" ON "publications"("root_id", "id") WHERE (root_id IS NOT NULL);

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

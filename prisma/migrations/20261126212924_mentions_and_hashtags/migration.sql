-- AlterTable
ALTER TABLE "changes" ADD COLUMN     "hashtag_ids" UUID[];

-- CreateTable
CREATE TABLE "mentions" (
    "publication_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "range_start" INTEGER NOT NULL,
    "range_end" INTEGER NOT NULL,

    CONSTRAINT "mentions_pkey" PRIMARY KEY ("publication_id","user_id","range_start")
);

-- CreateTable
CREATE TABLE "hashtags" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "publication_count" INTEGER NOT NULL,

    CONSTRAINT "hashtags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hashtag_uses" (
    "publication_id" UUID NOT NULL,
    "hashtag_id" UUID NOT NULL,
    "range_start" INTEGER NOT NULL,
    "range_end" INTEGER NOT NULL,
    "is_first" BOOLEAN NOT NULL,

    CONSTRAINT "hashtag_uses_pkey" PRIMARY KEY ("publication_id","range_start")
);

-- CreateIndex
CREATE INDEX "mentions_user_id_idx" ON "mentions"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "hashtag_uses_publications" ON "hashtag_uses"("hashtag_id", "publication_id" DESC) WHERE (is_first);

-- AddForeignKey
ALTER TABLE "mentions" ADD CONSTRAINT "mentions_publication_id_fkey" FOREIGN KEY ("publication_id") REFERENCES "publications"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mentions" ADD CONSTRAINT "mentions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hashtag_uses" ADD CONSTRAINT "hashtag_uses_publication_id_fkey" FOREIGN KEY ("publication_id") REFERENCES "publications"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hashtag_uses" ADD CONSTRAINT "hashtag_uses_hashtag_id_fkey" FOREIGN KEY ("hashtag_id") REFERENCES "hashtags"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE hashtags ADD CONSTRAINT hashtags_counter CHECK (publication_count >= 0);

-- Writes the change of a publication that is sent, edited or deleted. As for likes and follows, this runs as the owner of the function, in its
-- schema: who writes needs no rights on changes, and may use any search path. Its hashtags are still those from before.
CREATE OR REPLACE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id, root_id, hashtag_ids) VALUES (
    CASE WHEN TG_OP = 'INSERT' THEN 'PUBLISHED' WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id, NEW.root_id,
    CASE WHEN TG_OP = 'UPDATE' THEN
      (SELECT array_agg(u.hashtag_id) FROM hashtag_uses u WHERE u.publication_id = NEW.id AND u.is_first) END);
  RETURN NULL;
END $$;

ALTER FUNCTION edit_publication(uuid,uuid,text,boolean,boolean,boolean,numeric) RENAME TO old_edit_publication;

-- Edits a publication of the viewer, unless it was edited after `since`, in milliseconds since 1970; what is null stays unchanged, but
-- `entities`, as in set_entities, replace those of another content. Each edit has a later time than the one before. Returns edited,
-- not_found, forbidden or changed; or post / reply where the token may not edit that kind.
CREATE OR REPLACE FUNCTION edit_publication(
  publication uuid, viewer uuid, new_content text, new_locked boolean, posts boolean, replies boolean, since numeric,
  entities text DEFAULT NULL)
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
  IF FOUND THEN
    IF new_content IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], viewer, entities); END IF;
    RETURN 'edited';
  END IF;
  SELECT p.author_id, p.parent_id IS NOT NULL INTO author, is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id);
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF author <> viewer THEN RETURN 'forbidden'; END IF;
  RETURN CASE WHEN author = viewer THEN 'changed' ELSE 'not_found' END;
END $$;

-- Those who could execute the old function can execute the new one.
REVOKE ALL ON FUNCTION edit_publication FROM PUBLIC;
DO $$
DECLARE
  role text;
BEGIN
  FOR role IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
    FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE oid = 'old_edit_publication'::regproc
  LOOP
    EXECUTE 'GRANT EXECUTE ON FUNCTION edit_publication TO ' || role;
  END LOOP;
END $$;
DROP FUNCTION old_edit_publication;

ALTER FUNCTION send_publication(uuid,uuid,uuid,uuid,text,boolean) RENAME TO old_send_publication;

-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first. Returns sent; or for the parent locked or
-- not_found, which it also is if its author is hidden from the new one. `entities` are as in set_entities.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, content text, locked boolean, entities text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF parent IS NOT NULL THEN
    UPDATE publications p SET reply_count = p.reply_count + 1
      WHERE p.id = parent AND p.deleted_at IS NULL AND (NOT p.locked OR p.author_id = author)
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id);
    IF NOT FOUND THEN
      PERFORM FROM publications p WHERE p.id = parent AND p.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id);
      RETURN CASE WHEN FOUND THEN 'locked' ELSE 'not_found' END;
    END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    VALUES (publication, parent, author, application, content, locked);
  IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
  RETURN 'sent';
END $$;

-- Those who could execute the old function can execute the new one.
REVOKE ALL ON FUNCTION send_publication FROM PUBLIC;
DO $$
DECLARE
  role text;
BEGIN
  FOR role IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
    FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE oid = 'old_send_publication'::regproc
  LOOP
    EXECUTE 'GRANT EXECUTE ON FUNCTION send_publication TO ' || role;
  END LOOP;
END $$;
DROP FUNCTION old_send_publication;

ALTER FUNCTION send_publication_once(uuid,uuid,uuid,uuid,text,boolean) RENAME TO old_send_publication_once;

-- Sends a publication under an id that its client made, so that it can be sent again: the same content, lock and parent by the same author
-- change nothing, and also return sent. Otherwise returns locked or not_found for the parent, or taken for the id, which may be that of a
-- user. A post waits for no row but one with its own id. A reply locks its parent first, as send_publication does.
CREATE OR REPLACE FUNCTION send_publication_once(
  publication uuid, parent uuid, author uuid, application uuid, new_content text, new_locked boolean,
  entities text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
BEGIN
  IF parent IS NOT NULL THEN
    SELECT CASE
        WHEN p.deleted_at IS NOT NULL
          OR EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id) THEN 'not_found'
        WHEN p.locked AND p.author_id <> author THEN 'locked' END
      INTO obstacle FROM publications p WHERE p.id = parent FOR NO KEY UPDATE;
    IF NOT FOUND THEN obstacle := 'not_found'; END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    SELECT publication, parent, author, application, new_content, new_locked
    WHERE obstacle IS NULL AND parent IS DISTINCT FROM publication
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = publication)
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN
    IF parent IS NOT NULL THEN
      UPDATE publications p SET reply_count = p.reply_count + 1 WHERE p.id = parent;
    END IF;
    IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
    RETURN 'sent';
  END IF;
  PERFORM FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = author AND p.parent_id IS NOT DISTINCT FROM parent
      AND p.content = new_content AND p.locked = new_locked;
  RETURN CASE WHEN FOUND THEN 'sent' ELSE coalesce(obstacle, 'taken') END;
END $$;

-- Those who could execute the old function can execute the new one.
REVOKE ALL ON FUNCTION send_publication_once FROM PUBLIC;
DO $$
DECLARE
  role text;
BEGIN
  FOR role IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
    FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE oid = 'old_send_publication_once'::regproc
  LOOP
    EXECUTE 'GRANT EXECUTE ON FUNCTION send_publication_once TO ' || role;
  END LOOP;
END $$;
DROP FUNCTION old_send_publication_once;

-- Replaces the mentions and hashtags of publications, which are locked, by those that the JSON of `entitiesIn` has. Without it, they have none.
-- Usernames that nobody has, and those of accounts that are hidden from the author, are text. Users are locked in the order of their ids,
-- and after them hashtags, whose publications are counted. A hashtag that no publication has any more is removed.
CREATE OR REPLACE FUNCTION set_entities(changed uuid[], author uuid, entities text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mentioned jsonb := entities::jsonb->'mentions';
  tagged jsonb := entities::jsonb->'hashtags';
  before uuid[];
  tag record;
BEGIN
  PERFORM FROM users u WHERE lower(u.username) IN (SELECT m.username FROM jsonb_to_recordset(mentioned) m(username text))
    ORDER BY u.id FOR KEY SHARE;
  WITH named AS MATERIALIZED (
      SELECT p.id AS publication_id, u.id AS user_id, m.start, m."end"
      FROM unnest(changed) p(id), jsonb_to_recordset(mentioned) m(start int, "end" int, username text)
        JOIN users u ON lower(u.username) = m.username
      WHERE NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = u.id)
      ORDER BY m.start LIMIT 20),
    added AS (
      INSERT INTO mentions (publication_id, user_id, range_start, range_end) SELECT * FROM named
        ON CONFLICT (publication_id, user_id, range_start) DO UPDATE SET range_end = EXCLUDED.range_end
          WHERE mentions.range_end <> EXCLUDED.range_end)
  DELETE FROM mentions m WHERE m.publication_id = ANY (changed)
    AND NOT EXISTS (SELECT FROM named n WHERE n.user_id = m.user_id AND n.start = m.range_start);

  WITH gone AS (DELETE FROM hashtag_uses u WHERE u.publication_id = ANY (changed) RETURNING u.hashtag_id, u.is_first)
    SELECT array_agg(g.hashtag_id) INTO before FROM gone g WHERE g.is_first;
  FOR tag IN
    SELECT c.id, max(c.name) AS name, sum(c.change)::int AS change FROM (
      SELECT unnest(before) AS id, NULL AS name, -1 AS change
      UNION ALL SELECT DISTINCT h.id, h.name, 1 FROM jsonb_to_recordset(tagged) h(id uuid, name text)) c
    GROUP BY c.id HAVING sum(c.change) <> 0 ORDER BY c.id
  LOOP
    IF tag.change > 0 THEN
      INSERT INTO hashtags (id, name, publication_count) VALUES (tag.id, tag.name, tag.change)
        ON CONFLICT (id) DO UPDATE SET publication_count = hashtags.publication_count + EXCLUDED.publication_count;
    ELSE
      UPDATE hashtags h SET publication_count = h.publication_count + tag.change WHERE h.id = tag.id;
      DELETE FROM hashtags h WHERE h.id = tag.id AND h.publication_count = 0;
    END IF;
  END LOOP;
  INSERT INTO hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_first)
    SELECT p.id, h.id, h.start, h."end", row_number() OVER (PARTITION BY h.id ORDER BY h.start) = 1
    FROM unnest(changed) p(id), jsonb_to_recordset(tagged) h(id uuid, start int, "end" int);
END $$;

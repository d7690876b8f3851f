-- CreateTable
CREATE TABLE "former_usernames" (
    "username" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "left_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kept_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_usernames_pkey" PRIMARY KEY ("username")
);

-- CreateIndex
CREATE INDEX "former_usernames_user_id_idx" ON "former_usernames"("user_id");

-- CreateIndex
CREATE INDEX "former_usernames_kept_until_idx" ON "former_usernames"("kept_until");

-- AddForeignKey
ALTER TABLE "former_usernames" ADD CONSTRAINT "former_usernames_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- As usernames are.
ALTER TABLE former_usernames ALTER COLUMN username TYPE TEXT COLLATE "C";

-- Keeps the username that an account leaves for 90 days, and refuses one that another account keeps as if it were taken. It runs after the
-- unique index has waited for others who have or leave the same username, so it sees what they have done. Only the case may always change.
CREATE OR REPLACE FUNCTION keep_username() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND lower(OLD.username) = lower(NEW.username) THEN RETURN NULL; END IF;
  PERFORM FROM former_usernames f WHERE f.username = lower(NEW.username) AND f.user_id <> NEW.id AND f.kept_until > now();
  IF FOUND THEN
    RAISE unique_violation USING MESSAGE = 'another account keeps this username', CONSTRAINT = 'users_username_key';
  END IF;
  DELETE FROM former_usernames f WHERE f.username = lower(NEW.username);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO former_usernames (username, user_id, kept_until) VALUES (lower(OLD.username), NEW.id, now() + interval '90 days');
  END IF;
  RETURN NULL;
END $$;

-- Replaces the mentions and hashtags of publications, which are locked, by those that the JSON of `entitiesIn` has. Without it, they have none.
-- Usernames that name nobody, and those of accounts that are hidden from the author, are text. Users are locked in the order of their ids,
-- and after them hashtags, whose publications are counted. A hashtag that no publication has any more is removed.
CREATE OR REPLACE FUNCTION set_entities(changed uuid[], author uuid, entities text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mentioned jsonb := entities::jsonb->'mentions';
  tagged jsonb := entities::jsonb->'hashtags';
  before uuid[];
  tag record;
BEGIN
  PERFORM FROM users u WHERE u.id IN (SELECT user_named(m.username) FROM jsonb_to_recordset(mentioned) m(username text))
    ORDER BY u.id FOR KEY SHARE;
  WITH named AS MATERIALIZED (
      SELECT p.id AS publication_id, u.id AS user_id, m.start, m."end"
      FROM unnest(changed) p(id), jsonb_to_recordset(mentioned) m(start int, "end" int, username text)
        JOIN users u ON u.id = user_named(m.username)
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

-- The account that has a username, which is in lower case, or else the one that has left it and still keeps it.
CREATE OR REPLACE FUNCTION user_named(name text) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_user uuid;
BEGIN
  SELECT u.id INTO found_user FROM users u WHERE lower(u.username) = name;
  IF NOT FOUND THEN
    SELECT f.user_id INTO found_user FROM former_usernames f WHERE f.username = name AND f.kept_until > now();
  END IF;
  RETURN found_user;
END $$;

CREATE TRIGGER keep_username AFTER INSERT OR UPDATE OF username ON users FOR EACH ROW EXECUTE FUNCTION keep_username();

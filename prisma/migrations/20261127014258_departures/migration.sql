-- CreateTable
CREATE TABLE "departures" (
    "user_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "erasing" BOOLEAN NOT NULL,

    CONSTRAINT "departures_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "departures" ADD CONSTRAINT "departures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Inserts a post, or with a parent a reply, which it counts. The parent is locked first. Returns sent; or for the parent locked or
-- not_found, which it also is if its author is hidden from the new one. `entities` are as in set_entities.
CREATE OR REPLACE FUNCTION send_publication(
  publication uuid, parent uuid, author uuid, application uuid, content text, locked boolean, entities text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF parent IS NOT NULL THEN
    UPDATE publications p SET reply_count = p.reply_count + 1
      WHERE p.id = parent AND p.deleted_at IS NULL AND (NOT p.locked OR p.author_id = author)
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id);
    IF NOT FOUND THEN
      PERFORM FROM publications p WHERE p.id = parent AND p.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id);
      RETURN CASE WHEN FOUND THEN 'locked' ELSE 'not_found' END;
    END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    VALUES (publication, parent, author, application, content, locked);
  IF entities IS NOT NULL THEN PERFORM set_entities(ARRAY[publication], author, entities); END IF;
  RETURN 'sent';
END $$;

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
          OR EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = p.author_id)
          OR EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id) THEN 'not_found'
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

-- Reports a user or a publication, and keeps what it is like now, unless the reporter has an open report of it already. The reporter is
-- locked, so the number of their open reports, which is at most `most`, is exact. Returns the id of the report, or not_found, own or
-- too_many.
CREATE OR REPLACE FUNCTION send_report(
  report uuid, viewer uuid, subject uuid, given_reason text, given_comment text, most int)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  earlier uuid;
  reported record;
BEGIN
  PERFORM FROM users u WHERE u.id = viewer FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  SELECT object.*, u.username, u.display_name INTO reported FROM (
    SELECT u.id AS user_id, u.bio AS content FROM users u WHERE u.id = subject
    UNION ALL SELECT p.author_id, p.content FROM live_publications p
      WHERE p.id = subject AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id)) object
    JOIN users u ON u.id = object.user_id WHERE NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id);
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF reported.user_id = viewer THEN RETURN 'own'; END IF;
  SELECT r.id INTO earlier FROM reports r WHERE r.reporter_id = viewer AND r.subject_id = subject AND r.state = 'OPEN';
  IF FOUND THEN RETURN earlier; END IF;
  IF (SELECT count(*) FROM reports r WHERE r.reporter_id = viewer AND r.state = 'OPEN') >= most THEN RETURN 'too_many'; END IF;
  INSERT INTO reports (id, reporter_id, subject_id, user_id, username, display_name, content, reason, comment)
    VALUES (report, viewer, subject, reported.user_id, reported.username, reported.display_name, reported.content,
      given_reason::report_reason, given_comment);
  RETURN report;
END $$;

-- Blocks when `wanted` is true, unblocks when it is false, flips when it is null. A block ends the follows between both users, and hides each
-- from the other until neither blocks. Both users are locked in the order of their ids, as for follows. Answers blocked, unblocked, not_found
-- or too_many.
CREATE OR REPLACE FUNCTION set_block(block uuid, viewer uuid, other uuid, wanted boolean, most int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  blocked boolean := wanted;
  found_users int;
BEGIN
  PERFORM FROM users u WHERE u.id IN (viewer, other) AND (block IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id))
    ORDER BY u.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS found_users = ROW_COUNT;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id = other;
    IF wanted IS NULL THEN blocked := NOT FOUND; END IF;
    DELETE FROM hidings h
      WHERE (h.viewer_id = viewer AND h.hidden_id = other OR h.viewer_id = other AND h.hidden_id = viewer)
        AND NOT EXISTS (SELECT FROM blocks b WHERE b.blocker_id = other AND b.blocked_id = viewer);
  END IF;
  IF blocked THEN
    IF (SELECT count(*) FROM blocks b WHERE b.blocker_id = viewer AND b.blocked_id <> other) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO blocks (id, blocker_id, blocked_id) VALUES (block, viewer, other) ON CONFLICT (blocker_id, blocked_id) DO NOTHING;
    INSERT INTO hidings (viewer_id, hidden_id) VALUES (viewer, other), (other, viewer) ON CONFLICT DO NOTHING;
    PERFORM set_follow(NULL, viewer, other, false, 0), set_follow(NULL, other, viewer, false, 0);
  END IF;
  RETURN CASE WHEN blocked THEN 'blocked' ELSE 'unblocked' END;
END $$;

-- Bookmarks when `wanted` is true, removes the bookmark when it is false, flips when it is null. The row of the publication is locked first,
-- as for a like. Answers bookmarked, unbookmarked or not_found; or post / reply where the token may not bookmark that kind. What is hidden
-- from the viewer is not found, unless `bookmark` is null: the deletion of an account ends all of its bookmarks.
CREATE OR REPLACE FUNCTION set_bookmark(bookmark uuid, viewer uuid, publication uuid, wanted boolean, posts boolean, replies boolean)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  is_reply boolean;
  bookmarked boolean := wanted;
BEGIN
  SELECT p.parent_id IS NOT NULL INTO is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND (bookmark IS NULL OR NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id))
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM bookmarks b WHERE b.user_id = viewer AND b.publication_id = publication;
    IF wanted IS NULL THEN bookmarked := NOT FOUND; END IF;
  END IF;
  IF bookmarked THEN
    INSERT INTO bookmarks (id, user_id, publication_id) VALUES (bookmark, viewer, publication)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  END IF;
  RETURN CASE WHEN bookmarked THEN 'bookmarked' ELSE 'unbookmarked' END;
END $$;

-- Follows when `wanted` is true, unfollows when it is false, flips when it is null. Both users are locked in the order of
-- their ids, so people who follow one another at the same time cannot deadlock, and the counter that is compared with
-- `most` is exact. Answers followed, unfollowed, not_found, too_many, or hidden if one of them blocks the other.
CREATE OR REPLACE FUNCTION set_follow(follow uuid, viewer uuid, followee uuid, wanted boolean, most int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  changed boolean;
  followed boolean := wanted;
  found_users int;
  following int;
BEGIN
  SELECT count(*), max(locked.following_count) FILTER (WHERE locked.id = viewer) INTO found_users, following FROM (
    SELECT u.id, u.following_count FROM users u
    WHERE u.id IN (viewer, followee) AND (follow IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id)) ORDER BY u.id FOR NO KEY UPDATE) locked;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM follows f WHERE f.follower_id = viewer AND f.followee_id = followee;
    changed := FOUND;
    IF wanted IS NULL THEN followed := NOT changed; END IF;
  END IF;
  IF followed THEN
    IF EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = followee) THEN RETURN 'hidden'; END IF;
    IF following >= most AND NOT EXISTS (
      SELECT FROM follows f WHERE f.follower_id = viewer AND f.followee_id = followee)
    THEN RETURN 'too_many'; END IF;
    INSERT INTO follows (id, follower_id, followee_id) VALUES (follow, viewer, followee) ON CONFLICT DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE users u SET following_count = u.following_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = viewer;
    UPDATE users u SET follower_count = u.follower_count + CASE WHEN followed THEN 1 ELSE -1 END WHERE u.id = followee;
  END IF;
  RETURN CASE WHEN followed THEN 'followed' ELSE 'unfollowed' END;
END $$;

-- Likes when `wanted` is true, unlikes when it is false, flips when it is null. The row of the publication is locked
-- first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- Returns liked, unliked or not_found; or post / reply where the token may not like that kind. What is hidden from the viewer is not
-- found, unless `like_id` is null: the deletion of an account ends all of its likes.
CREATE OR REPLACE FUNCTION set_like(like_id uuid, viewer uuid, publication uuid, wanted boolean, posts boolean, replies boolean)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  is_reply boolean;
  changed boolean;
  liked boolean := wanted;
BEGIN
  SELECT p.parent_id IS NOT NULL INTO is_reply FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL
      AND (like_id IS NULL OR NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id)
        AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = p.author_id))
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF is_reply AND NOT replies THEN RETURN 'reply'; END IF;
  IF NOT is_reply AND NOT posts THEN RETURN 'post'; END IF;
  IF wanted IS NOT TRUE THEN
    DELETE FROM likes l WHERE l.user_id = viewer AND l.publication_id = publication;
    changed := FOUND;
    IF wanted IS NULL THEN liked := NOT changed; END IF;
  END IF;
  IF liked THEN
    INSERT INTO likes (id, user_id, publication_id) VALUES (like_id, viewer, publication)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
    changed := FOUND;
  END IF;
  IF changed THEN
    UPDATE publications p SET like_count = p.like_count + CASE WHEN liked THEN 1 ELSE -1 END WHERE p.id = publication;
  END IF;
  RETURN CASE WHEN liked THEN 'liked' ELSE 'unliked' END;
END $$;

-- Mutes when `wanted` is true, until a time or for good; unmutes when it is false, flips when it is null. Both users are locked in the order
-- of their ids, as for follows. Mutes that have ended are removed first. Answers muted, unmuted, not_found or too_many.
CREATE OR REPLACE FUNCTION set_mute(
  mute uuid, viewer uuid, other uuid, wanted boolean, most int, ends timestamptz DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  muted boolean := wanted;
  found_users int;
BEGIN
  PERFORM FROM users u WHERE u.id IN (viewer, other) AND (mute IS NULL OR NOT EXISTS (SELECT FROM departures d WHERE d.user_id = u.id))
    ORDER BY u.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS found_users = ROW_COUNT;
  IF found_users < 2 THEN RETURN 'not_found'; END IF;
  DELETE FROM mutes m WHERE m.muter_id = viewer AND m.until <= now();
  IF wanted IS NOT TRUE THEN
    DELETE FROM mutes m WHERE m.muter_id = viewer AND m.muted_id = other;
    IF wanted IS NULL THEN muted := NOT FOUND; END IF;
  END IF;
  IF muted THEN
    IF (SELECT count(*) FROM mutes m WHERE m.muter_id = viewer AND m.muted_id <> other) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO mutes (id, muter_id, muted_id, until) VALUES (mute, viewer, other, ends)
      ON CONFLICT (muter_id, muted_id) DO UPDATE SET until = excluded.until;
  END IF;
  RETURN CASE WHEN muted THEN 'muted' ELSE 'unmuted' END;
END $$;

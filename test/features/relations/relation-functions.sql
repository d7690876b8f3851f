-- Likes when `wanted` is true, unlikes when it is false, flips when it is null; `cause` is request, import or deletion.
-- The publication is locked first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- If `limited` is true, nothing new is set: returns limited.
-- Only a request notifies the author.
-- Whatever is set or taken back has a change that says so.
-- Returns liked, unliked, or a refusal of lock_publication.
CREATE OR REPLACE FUNCTION set_like(
  new_id uuid, viewer uuid, object uuid, wanted boolean, posts boolean, replies boolean, cause text DEFAULT 'request', limited boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  is_new boolean;
  locked record := lock_publication(object, viewer, posts, replies, cause);
  recipient uuid := CASE WHEN cause = 'request' THEN nullif(locked.author, viewer) END;
BEGIN
  IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM likes r WHERE r.publication_id = object AND r.user_id = viewer);
  END IF;
  IF wanted THEN
    is_new := NOT EXISTS (SELECT FROM likes r WHERE r.publication_id = object AND r.user_id = viewer);
    IF limited AND is_new THEN RETURN 'limited'; END IF;
    INSERT INTO likes (id, user_id, publication_id, author_id, notice_key)
      VALUES (new_id, viewer, object, recipient, CASE WHEN recipient IS NOT NULL THEN notification_key() END)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  ELSE
    DELETE FROM likes r WHERE r.publication_id = object AND r.user_id = viewer
      RETURNING r.author_id INTO recipient;
  END IF;
  IF FOUND THEN
    UPDATE publications o SET like_count = o.like_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE o.id = object;
    PERFORM add_change(CASE WHEN wanted THEN 'LIKED' ELSE 'UNLIKED' END::change_kind, viewer, object, recipient);
  END IF;
  RETURN CASE WHEN wanted THEN CASE WHEN is_new THEN 'liked' ELSE 'liked before' END ELSE 'unliked' END;
END $$;

-- Reposts when `wanted` is true, unreposts when it is false, flips when it is null; `cause` is request, import or deletion.
-- The publication is locked first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- If `limited` is true, nothing new is set: returns limited.
-- Only a request notifies the author.
-- Whatever is set or taken back has a change that says so.
-- Returns reposted, unreposted, not_for_everybody, or a refusal of lock_publication.
CREATE OR REPLACE FUNCTION set_repost(
  new_id uuid, viewer uuid, object uuid, wanted boolean, posts boolean, replies boolean, cause text DEFAULT 'request', limited boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  is_new boolean;
  locked record := lock_publication(object, viewer, posts, replies, cause);
  recipient uuid := CASE WHEN cause = 'request' THEN nullif(locked.author, viewer) END;
BEGIN
  IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM reposts r WHERE r.publication_id = object AND r.user_id = viewer);
  END IF;
  IF wanted THEN
    IF NOT EXISTS (SELECT FROM publications p, readable(NULL, p.author_id, p.audience, p.circle_id, p.parent_author_id) r
      WHERE p.id = object AND r) THEN RETURN 'not_for_everybody'; END IF;
    is_new := NOT EXISTS (SELECT FROM reposts r WHERE r.publication_id = object AND r.user_id = viewer);
    IF limited AND is_new THEN RETURN 'limited'; END IF;
    INSERT INTO reposts (id, user_id, publication_id, author_id, notice_key)
      VALUES (new_id, viewer, object, recipient, CASE WHEN recipient IS NOT NULL THEN notification_key() END)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  ELSE
    DELETE FROM reposts r WHERE r.publication_id = object AND r.user_id = viewer
      RETURNING r.author_id INTO recipient;
  END IF;
  IF FOUND THEN
    UPDATE publications o SET repost_count = o.repost_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE o.id = object;
    PERFORM add_change(CASE WHEN wanted THEN 'REPOSTED' ELSE 'UNREPOSTED' END::change_kind, viewer, object, recipient);
  END IF;
  RETURN CASE WHEN wanted THEN CASE WHEN is_new THEN 'reposted' ELSE 'reposted before' END ELSE 'unreposted' END;
END $$;

-- Bookmarks when `wanted` is true, unbookmarks when it is false, flips when it is null; `cause` is request, import or deletion.
-- The publication is locked first, and each statement has a snapshot of its own, so it is exact under any concurrency, with deletion too.
-- Returns bookmarked, unbookmarked, or a refusal of lock_publication.
CREATE OR REPLACE FUNCTION set_bookmark(
  new_id uuid, viewer uuid, object uuid, wanted boolean, posts boolean, replies boolean, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  locked record := lock_publication(object, viewer, posts, replies, cause);
BEGIN
  IF locked.refusal IS NOT NULL THEN RETURN locked.refusal; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM bookmarks r WHERE r.publication_id = object AND r.user_id = viewer);
  END IF;
  IF wanted THEN
    INSERT INTO bookmarks (id, user_id, publication_id)
      VALUES (new_id, viewer, object)
      ON CONFLICT (publication_id, user_id) DO NOTHING;
  ELSE
    DELETE FROM bookmarks r WHERE r.publication_id = object AND r.user_id = viewer;
  END IF;
  RETURN CASE WHEN wanted THEN 'bookmarked' ELSE 'unbookmarked' END;
END $$;

-- Follows when `wanted` is true, unfollows when it is false, flips when it is null; `cause` is request, import or deletion.
-- Both users are locked first, so it is exact under any concurrency, as is the number that is compared with `most`.
-- If `limited` is true, nothing new is set: returns limited.
-- Only a request notifies the other account.
-- Whatever is set or taken back has a change that says so.
-- Of a private account, it only makes a request, also in an import. Taking it back removes the request, too.
-- Returns followed, requested, unfollowed, not_found, too_many, or hidden if one of them blocks the other.
CREATE OR REPLACE FUNCTION set_follow(
  new_id uuid, viewer uuid, object uuid, wanted boolean, most int, cause text DEFAULT 'request', limited boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  is_new boolean;
  recipient uuid := CASE WHEN cause = 'request' THEN object END;
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM follows r WHERE r.followee_id = object AND r.follower_id = viewer)
      AND NOT EXISTS (SELECT FROM follow_requests q WHERE q.requested_id = object AND q.requester_id = viewer);
  END IF;
  IF wanted THEN
    IF EXISTS (SELECT FROM hidden_from(viewer, object)) THEN RETURN 'hidden'; END IF;
    IF (SELECT u.following_count FROM users u WHERE u.id = viewer)
      + (SELECT count(*) FROM follow_requests q WHERE q.requester_id = viewer AND q.requested_id <> object) >= most
      AND NOT EXISTS (SELECT FROM follows r WHERE r.followee_id = object AND r.follower_id = viewer) THEN RETURN 'too_many'; END IF;
    is_new := NOT EXISTS (SELECT FROM follows r WHERE r.followee_id = object AND r.follower_id = viewer)
      AND NOT EXISTS (SELECT FROM follow_requests q WHERE q.requested_id = object AND q.requester_id = viewer);
    IF limited AND is_new THEN RETURN 'limited'; END IF;
    IF EXISTS (SELECT FROM private_accounts a WHERE a.user_id = object)
      AND NOT EXISTS (SELECT FROM follows r WHERE r.followee_id = object AND r.follower_id = viewer) THEN
      PERFORM add_follow_request(new_id, viewer, object, recipient);
      RETURN CASE WHEN is_new THEN 'requested' ELSE 'requested before' END;
    END IF;
    PERFORM end_follow_request(viewer, object);
    INSERT INTO follows (id, follower_id, followee_id, notice_key)
      VALUES (new_id, viewer, object, CASE WHEN recipient IS NOT NULL THEN notification_key() END)
      ON CONFLICT (followee_id, follower_id) DO NOTHING;
  ELSE
    PERFORM end_follow_request(viewer, object);
    DELETE FROM follows r WHERE r.followee_id = object AND r.follower_id = viewer
      RETURNING CASE WHEN r.notice_key IS NOT NULL THEN r.followee_id END INTO recipient;
  END IF;
  IF FOUND THEN
    UPDATE users o SET follower_count = o.follower_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE o.id = object;
    UPDATE users o SET following_count = o.following_count + CASE WHEN wanted THEN 1 ELSE -1 END WHERE o.id = viewer;
    INSERT INTO changes (kind, actor_id, user_id, recipient_id)
      VALUES (CASE WHEN wanted THEN 'FOLLOWED' ELSE 'UNFOLLOWED' END::change_kind, viewer, object, recipient);
  END IF;
  RETURN CASE WHEN wanted THEN CASE WHEN is_new THEN 'followed' ELSE 'followed before' END ELSE 'unfollowed' END;
END $$;

-- Blocks when `wanted` is true, unblocks when it is false, flips when it is null; `cause` is request, import or deletion.
-- Both users are locked first, so it is exact under any concurrency, as is the number that is compared with `most`.
-- Whatever is set or taken back has a change that says so.
-- It hides each from the other until neither does this, and ends what it forbids.
-- Returns blocked, unblocked, not_found or too_many.
CREATE OR REPLACE FUNCTION set_block(
  new_id uuid, viewer uuid, object uuid, wanted boolean, most int, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM blocks r WHERE r.blocked_id = object AND r.blocker_id = viewer);
  END IF;
  IF wanted THEN
    IF (SELECT count(*) FROM blocks r WHERE r.blocker_id = viewer AND r.blocked_id <> object) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO blocks (id, blocker_id, blocked_id)
      VALUES (new_id, viewer, object)
      ON CONFLICT (blocked_id, blocker_id) DO NOTHING;
  ELSE
    DELETE FROM blocks r WHERE r.blocked_id = object AND r.blocker_id = viewer;
  END IF;
  IF FOUND THEN
    INSERT INTO changes (kind, actor_id, user_id)
      VALUES (CASE WHEN wanted THEN 'BLOCKED' ELSE 'UNBLOCKED' END::change_kind, viewer, object);
  END IF;
  IF wanted THEN
    INSERT INTO blocked_pairs (viewer_id, hidden_id) VALUES (viewer, object), (object, viewer) ON CONFLICT DO NOTHING;
    PERFORM set_follow(NULL, viewer, object, false, 0, cause => cause), set_follow(NULL, object, viewer, false, 0, cause => cause);
  ELSE
    DELETE FROM blocked_pairs h
      WHERE (h.viewer_id = viewer AND h.hidden_id = object OR h.viewer_id = object AND h.hidden_id = viewer)
        AND NOT EXISTS (SELECT FROM blocks r WHERE r.blocker_id = object AND r.blocked_id = viewer);
  END IF;
  RETURN CASE WHEN wanted THEN 'blocked' ELSE 'unblocked' END;
END $$;

-- Mutes when `wanted` is true, unmutes when it is false, flips when it is null; `cause` is request, import or deletion.
-- Both users are locked first, so it is exact under any concurrency, as is the number that is compared with `most`.
-- Those that have ended are removed first.
-- Returns muted, unmuted, not_found or too_many.
CREATE OR REPLACE FUNCTION set_mute(
  new_id uuid, viewer uuid, object uuid, wanted boolean, most int, ends timestamptz DEFAULT NULL, cause text DEFAULT 'request')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT lock_users(viewer, object, cause) THEN RETURN 'not_found'; END IF;
  DELETE FROM mutes r WHERE r.muter_id = viewer AND r.until <= now();
  IF wanted IS NULL THEN
    wanted := NOT EXISTS (SELECT FROM mutes r WHERE r.muted_id = object AND r.muter_id = viewer);
  END IF;
  IF wanted THEN
    IF (SELECT count(*) FROM mutes r WHERE r.muter_id = viewer AND r.muted_id <> object) >= most THEN RETURN 'too_many'; END IF;
    INSERT INTO mutes (id, muter_id, muted_id, until)
      VALUES (new_id, viewer, object, ends)
      ON CONFLICT (muted_id, muter_id) DO UPDATE SET until = excluded.until;
  ELSE
    DELETE FROM mutes r WHERE r.muted_id = object AND r.muter_id = viewer;
  END IF;
  RETURN CASE WHEN wanted THEN 'muted' ELSE 'unmuted' END;
END $$;

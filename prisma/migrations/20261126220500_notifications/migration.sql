-- CreateEnum
CREATE TYPE "notification_kind" AS ENUM ('REPLY', 'MENTION', 'LIKE', 'FOLLOW', 'REMOVED');

-- AlterEnum
ALTER TYPE "change_kind" ADD VALUE 'NOTIFIED';

-- The time of a key that notification_key made.
CREATE OR REPLACE FUNCTION notification_time(key uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || translate(left(key::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
$$;

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "latest_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" "notification_kind" NOT NULL,
    "subject_id" UUID NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "unread" BOOLEAN NOT NULL DEFAULT true,
    "reason" TEXT,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_events" (
    "id" UUID NOT NULL,
    "subject_id" UUID NOT NULL,
    "actor_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "notification_id" UUID NOT NULL,
    "undone" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "notification_events_pkey" PRIMARY KEY ("subject_id","actor_id","user_id")
);

-- CreateIndex
CREATE INDEX "notifications_user_id_kind_latest_id_idx" ON "notifications"("user_id", "kind", "latest_id" DESC);

-- CreateIndex
CREATE INDEX "notifications_unread" ON "notifications"("user_id", "subject_id") WHERE unread;

-- CreateIndex
CREATE INDEX "notifications_read_likes" ON "notifications"("subject_id") WHERE ((kind = 'LIKE'::notification_kind) AND (NOT unread));

-- CreateIndex
CREATE INDEX "notification_events_notification_id_id_idx" ON "notification_events"("notification_id", "id" DESC);

-- CreateIndex
CREATE INDEX "notification_events_actor_id_user_id_idx" ON "notification_events"("actor_id", "user_id");

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Notifies a user of a new follower, and takes that back with the follow.
CREATE OR REPLACE FUNCTION add_notification_of_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(NEW.followee_id, 'FOLLOW', NEW.followee_id, NEW.follower_id);
  ELSE
    PERFORM undo_event(OLD.followee_id, OLD.follower_id);
  END IF;
  RETURN NULL;
END $$;

-- Notifies the author of a publication of a like, and takes that back with it.
CREATE OR REPLACE FUNCTION add_notification_of_like() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(p.author_id, 'LIKE', p.id, NEW.user_id) FROM publications p
      WHERE p.id = NEW.publication_id AND p.author_id <> NEW.user_id;
  ELSE
    PERFORM undo_event(p.id, OLD.user_id) FROM publications p WHERE p.id = OLD.publication_id AND p.deleted_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

-- Notifies a user of a publication that mentions them, and takes that back with the last mention in it. A reply to them stays one.
CREATE OR REPLACE FUNCTION add_notification_of_mention() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  gone uuid;
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(NEW.user_id, 'MENTION', p.id, p.author_id) FROM publications p
      WHERE p.id = NEW.publication_id AND p.author_id <> NEW.user_id;
  ELSIF NOT EXISTS (SELECT FROM mentions m WHERE m.publication_id = OLD.publication_id AND m.user_id = OLD.user_id) THEN
    UPDATE notification_events e SET undone = true FROM publications p, notifications n
      WHERE p.id = OLD.publication_id AND e.subject_id = p.id AND e.actor_id = p.author_id AND e.user_id = OLD.user_id
        AND NOT e.undone AND n.id = e.notification_id AND n.kind = 'MENTION'
      RETURNING e.notification_id INTO gone;
    UPDATE notifications n SET count = 0 WHERE n.id = gone;
  END IF;
  RETURN NULL;
END $$;

-- Notifies the author of a publication of a reply to it. The deletion of a publication takes all notifications about it back.
CREATE OR REPLACE FUNCTION add_notification_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM notify_user(p.author_id, 'REPLY', NEW.id, NEW.author_id) FROM publications p
      WHERE p.id = NEW.parent_id AND p.author_id <> NEW.author_id;
  ELSE
    UPDATE notifications n SET count = 0 WHERE n.id IN (
      SELECT n.id FROM notifications n WHERE n.subject_id = NEW.id AND n.kind = 'LIKE' AND NOT n.unread
      UNION ALL SELECT n.id FROM notifications n
        WHERE n.user_id = NEW.author_id AND n.subject_id = NEW.id AND n.kind = 'LIKE' AND n.unread
      UNION ALL SELECT e.notification_id FROM notification_events e WHERE e.subject_id = NEW.id AND e.actor_id = NEW.author_id);
  END IF;
  RETURN NULL;
END $$;

-- Tells the author of a publication that moderators removed it, and why, but not who did.
CREATE OR REPLACE FUNCTION add_notification_of_removal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  key uuid := notification_key();
BEGIN
  INSERT INTO notifications (id, latest_id, user_id, kind, subject_id, reason)
    SELECT key, key, u.id, 'REMOVED', NEW.subject_id, NEW.reason FROM users u WHERE u.id = NEW.user_id;
  INSERT INTO changes (kind, actor_id, publication_id, user_id) VALUES ('NOTIFIED', NEW.user_id, NEW.subject_id, NEW.user_id);
  RETURN NULL;
END $$;

-- Marks the notifications of a user as read up to a place in their list, but no more than `most` at once. Returns how many that were.
CREATE OR REPLACE FUNCTION mark_notifications_read(viewer uuid, up_to uuid, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  marked int;
BEGIN
  UPDATE notifications n SET unread = false FROM (
    SELECT n.id FROM notifications n WHERE n.user_id = viewer AND n.unread AND n.count > 0 AND n.latest_id <= up_to
    ORDER BY n.subject_id LIMIT most FOR NO KEY UPDATE) locked
    WHERE n.id = locked.id;
  GET DIAGNOSTICS marked = ROW_COUNT;
  RETURN marked;
END $$;

-- The key of what is notified now: a UUID of version 7, so that keys are in the order of time.
CREATE OR REPLACE FUNCTION notification_key() RETURNS uuid LANGUAGE sql AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- The advisory lock of two accounts: events between them share it, a block excludes them. That of an account alone is for its suspension.
CREATE OR REPLACE FUNCTION notification_lock(one uuid, other uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT uuid_hash_extended(least(one, other), uuid_hash_extended(greatest(one, other), 0))
$$;

-- Notifies a user of what an account did with a subject: a publication, or the user. Likes and follows of a subject join a notification until
-- it is read. What is done again returns to its notification, as it is, and is not notified again. Nobody is notified of themselves, or of
-- whom a block hides, whom they mute, or who is suspended. Callers hold the lock of the subject, so that it gets one notification at a time.
CREATE OR REPLACE FUNCTION notify_user(recipient uuid, new_kind notification_kind, subject uuid, actor uuid) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  event notification_events;
  key uuid := notification_key();
BEGIN
  -- A block or a suspension that is under way does not see this event.
  IF actor = recipient OR NOT pg_try_advisory_xact_lock_shared(notification_lock(actor, recipient))
    OR NOT pg_try_advisory_xact_lock_shared(notification_lock(actor, actor)) THEN RETURN; END IF;
  INSERT INTO notification_events AS e (id, subject_id, actor_id, user_id, notification_id)
    SELECT key, subject, actor, recipient, coalesce((
      SELECT n.id FROM notifications n
      WHERE n.user_id = recipient AND n.subject_id = subject AND n.kind = new_kind AND n.unread AND new_kind IN ('LIKE', 'FOLLOW')), key)
    FROM users u WHERE u.id = actor AND u.suspended_at IS NULL
      AND NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = recipient AND h.hidden_id = actor)
      AND NOT EXISTS (SELECT FROM mutes m WHERE m.muter_id = recipient AND m.muted_id = actor AND (m.until IS NULL OR m.until > now()))
    ON CONFLICT (subject_id, actor_id, user_id) DO UPDATE SET undone = false WHERE e.undone
    RETURNING * INTO event;
  IF NOT FOUND THEN RETURN; END IF;
  IF event.notification_id <> key THEN
    UPDATE notifications n
      SET count = n.count + 1, latest_id = CASE n.count WHEN 0 THEN event.id ELSE greatest(n.latest_id, event.id) END
      WHERE n.id = event.notification_id AND (n.unread OR event.id <> key);
    IF FOUND AND event.id <> key THEN RETURN; END IF;
    IF NOT FOUND THEN
      -- It was read meanwhile.
      UPDATE notification_events e SET id = key, notification_id = key
        WHERE e.subject_id = subject AND e.actor_id = actor AND e.user_id = recipient;
      event.notification_id := key;
    END IF;
  END IF;
  IF event.notification_id = key THEN
    INSERT INTO notifications (id, latest_id, user_id, kind, subject_id) VALUES (key, key, recipient, new_kind, subject);
  END IF;
  INSERT INTO changes (kind, actor_id, publication_id, user_id) VALUES ('NOTIFIED', actor, nullif(subject, recipient), recipient);
END $$;

-- Takes one event back from each of these notifications, whose events are marked as undone already. Locks notifications in the order of all
-- writes that lock several.
CREATE OR REPLACE FUNCTION take_back_events(notification_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM notifications n WHERE n.id = ANY (notification_ids) ORDER BY n.subject_id, n.user_id FOR NO KEY UPDATE;
  UPDATE notifications n
    SET count = n.count - 1, latest_id = coalesce((
      SELECT e.id FROM notification_events e WHERE e.notification_id = n.id AND NOT e.undone ORDER BY e.id DESC LIMIT 1), n.latest_id)
    WHERE n.id = ANY (notification_ids) AND n.count > 0;
END $$;

-- Takes back the like or the follow of a subject.
CREATE OR REPLACE FUNCTION undo_event(subject uuid, actor uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  event notification_events;
  was_latest boolean;
BEGIN
  UPDATE notification_events e SET undone = true WHERE e.subject_id = subject AND e.actor_id = actor AND NOT e.undone
    RETURNING * INTO event;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE notifications n SET count = n.count - 1 WHERE n.id = event.notification_id AND n.count > 0
    RETURNING n.latest_id = event.id AND n.count > 0 INTO was_latest;
  IF was_latest THEN
    UPDATE notifications n SET latest_id = latest.id FROM (
      SELECT e.id FROM notification_events e WHERE e.notification_id = event.notification_id AND NOT e.undone
      ORDER BY e.id DESC LIMIT 1) latest
      WHERE n.id = event.notification_id;
  END IF;
END $$;

-- Takes back what an account has notified others of, or only this recipient, but no more than `most` events. Returns how many that were.
CREATE OR REPLACE FUNCTION undo_events_of(actor uuid, recipient uuid, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  notification_ids uuid[];
BEGIN
  WITH found AS MATERIALIZED (
    SELECT e.subject_id, e.user_id FROM notification_events e
    WHERE e.actor_id = actor AND NOT e.undone AND e.user_id >= coalesce(recipient, '00000000-0000-0000-0000-000000000000')
      AND e.user_id <= coalesce(recipient, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    LIMIT most),
  locked AS MATERIALIZED (
    SELECT e.subject_id, e.user_id FROM notification_events e
    WHERE e.actor_id = actor AND NOT e.undone AND (e.subject_id, e.user_id) IN (TABLE found)
    ORDER BY e.subject_id, e.user_id FOR NO KEY UPDATE),
  gone AS (
    UPDATE notification_events e SET undone = true FROM locked
    WHERE e.subject_id = locked.subject_id AND e.actor_id = actor AND e.user_id = locked.user_id
    RETURNING e.notification_id)
  SELECT array_agg(gone.notification_id) INTO notification_ids FROM gone;
  PERFORM take_back_events(notification_ids);
  RETURN coalesce(cardinality(notification_ids), 0);
END $$;

-- A block takes back what both accounts were notified of by each other: at once no more than 1000 events of each.
CREATE OR REPLACE FUNCTION undo_notifications_of_block() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(notification_lock(NEW.blocker_id, NEW.blocked_id));
  PERFORM undo_events_of(NEW.blocker_id, NEW.blocked_id, 1000), undo_events_of(NEW.blocked_id, NEW.blocker_id, 1000);
  RETURN NULL;
END $$;

-- A suspension takes back what others were notified of by the account: at once no more than 1000 events.
CREATE OR REPLACE FUNCTION undo_notifications_of_suspension() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(notification_lock(NEW.id, NEW.id));
  PERFORM undo_events_of(NEW.id, NULL, 1000);
  RETURN NULL;
END $$;

-- A transaction that sets rookery.seeding to on notifies nobody, as it writes no changes.
CREATE TRIGGER add_notification AFTER INSERT ON publications FOR EACH ROW
  WHEN (NEW.parent_id IS NOT NULL AND current_setting('rookery.seeding', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION add_notification_of_publication();
CREATE TRIGGER undo_notifications AFTER UPDATE OF deleted_at ON publications FOR EACH ROW
  WHEN (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at) EXECUTE FUNCTION add_notification_of_publication();
CREATE TRIGGER add_notification AFTER INSERT OR DELETE ON likes FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_notification_of_like();
CREATE TRIGGER add_notification AFTER INSERT OR DELETE ON follows FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_notification_of_follow();
CREATE TRIGGER add_notification AFTER INSERT ON moderation_acts FOR EACH ROW
  WHEN (NEW.action = 'PUBLICATION_REMOVED') EXECUTE FUNCTION add_notification_of_removal();
CREATE TRIGGER undo_notifications AFTER INSERT ON blocks FOR EACH ROW EXECUTE FUNCTION undo_notifications_of_block();
CREATE TRIGGER undo_notifications AFTER UPDATE OF suspended_at ON users FOR EACH ROW
  WHEN (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL) EXECUTE FUNCTION undo_notifications_of_suspension();
CREATE TRIGGER add_notification AFTER INSERT OR DELETE ON mentions FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_notification_of_mention();

-- Notifies a user of what an account did with a subject: a publication, or the user. Likes and follows of a subject join a notification until
-- it is read. What is done again returns to its notification, as it is, and is not notified again. Nobody is notified of themselves, of
-- whom a block hides, whom they mute, or who is suspended or leaving, or by an import. Callers hold the lock of the subject, so that it gets one
-- notification at a time.
CREATE OR REPLACE FUNCTION notify_user(recipient uuid, new_kind notification_kind, subject uuid, actor uuid) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  event notification_events;
  key uuid := notification_key();
BEGIN
  IF current_setting('rookery.importing', true) = 'on' THEN RETURN; END IF;
  -- A block or a suspension that is under way does not see this event.
  IF actor = recipient OR NOT pg_try_advisory_xact_lock_shared(notification_lock(actor, recipient))
    OR NOT pg_try_advisory_xact_lock_shared(notification_lock(actor, actor)) THEN RETURN; END IF;
  INSERT INTO notification_events AS e (id, subject_id, actor_id, user_id, notification_id)
    SELECT key, subject, actor, recipient, coalesce((
      SELECT n.id FROM notifications n
      WHERE n.user_id = recipient AND n.subject_id = subject AND n.kind = new_kind AND n.unread AND new_kind IN ('LIKE', 'FOLLOW')), key)
    FROM users u WHERE u.id = actor AND u.suspended_at IS NULL AND NOT EXISTS (SELECT FROM departures d WHERE d.user_id = actor)
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

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

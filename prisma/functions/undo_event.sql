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

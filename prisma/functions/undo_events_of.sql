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

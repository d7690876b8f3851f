-- Marks the notifications of a user as read up to a place in their list, but no more than `most` at once, and adds a change, so that
-- other devices of the user learn of it. Returns how many that were.
CREATE OR REPLACE FUNCTION mark_notifications_read(viewer uuid, up_to uuid, most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  marked int;
BEGIN
  UPDATE notifications n SET unread = false FROM (
    SELECT n.id FROM notifications n WHERE n.user_id = viewer AND n.unread AND n.count > 0 AND n.latest_id <= up_to
    ORDER BY n.subject_id LIMIT most FOR NO KEY UPDATE) locked
    WHERE n.id = locked.id;
  GET DIAGNOSTICS marked = ROW_COUNT;
  IF marked > 0 THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('NOTIFIED', viewer, viewer); END IF;
  RETURN marked;
END $$;

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

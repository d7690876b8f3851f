-- Removes a request that is withdrawn or declined. Both users are locked. Returns whether there was one.
CREATE OR REPLACE FUNCTION end_follow_request(requester uuid, requested uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  notice uuid;
BEGIN
  DELETE FROM follow_requests q WHERE q.requester_id = requester AND q.requested_id = requested RETURNING q.notice_key INTO notice;
  IF NOT FOUND THEN RETURN false; END IF;
  IF notice IS NOT NULL THEN
    INSERT INTO changes (kind, actor_id, recipient_id) VALUES ('NOTIFIED', requester, requested);
  END IF;
  RETURN true;
END $$;

-- Asks a private account to be followed. Both users are locked. Asking again changes nothing. Only a request with a recipient notifies.
CREATE OR REPLACE FUNCTION add_follow_request(request uuid, requester uuid, requested uuid, recipient uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO follow_requests (id, requester_id, requested_id, notice_key)
    VALUES (request, requester, requested, CASE WHEN recipient IS NOT NULL THEN notification_key() END)
    ON CONFLICT (requester_id, requested_id) DO NOTHING;
  IF FOUND AND recipient IS NOT NULL THEN
    INSERT INTO changes (kind, actor_id, user_id, recipient_id) VALUES ('NOTIFIED', requester, requested, recipient);
  END IF;
END $$;

-- Locks two users in the order of their ids, so that concurrent changes of their relations cannot deadlock, and counters that are read
-- afterwards are exact. Returns whether both exist and neither is hidden from everybody. The deletion of an account also finds hidden ones.
CREATE OR REPLACE FUNCTION lock_users(viewer uuid, other uuid, cause text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  locked int;
BEGIN
  PERFORM FROM users u
    WHERE u.id IN (viewer, other) AND (cause = 'deletion' OR NOT EXISTS (SELECT FROM hidden_accounts h WHERE h.user_id = u.id))
    ORDER BY u.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS locked = ROW_COUNT;
  RETURN locked = 2;
END $$;

-- Accepts the requests of these accounts to follow another one. All of them are locked. Each follow has the id of its request, unless
-- that is taken by an imported follow, and notifies nobody. Returns the number of requests.
CREATE OR REPLACE FUNCTION accept_follow_requests(account uuid, requesters uuid[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  accepted int;
  notified boolean;
BEGIN
  WITH gone AS (
      DELETE FROM follow_requests q WHERE q.requested_id = account AND q.requester_id = ANY (requesters) RETURNING q.*),
    added AS (
      INSERT INTO follows (id, follower_id, followee_id)
        SELECT CASE WHEN EXISTS (SELECT FROM follows f WHERE f.id = g.id) THEN notification_key() ELSE g.id END, g.requester_id, account
        FROM gone g),
    counted AS (
      UPDATE users u SET following_count = u.following_count + 1 FROM gone g WHERE u.id = g.requester_id),
    noted AS (
      INSERT INTO changes (kind, actor_id, user_id) SELECT 'FOLLOWED', g.requester_id, account FROM gone g)
    SELECT count(*), bool_or(g.notice_key IS NOT NULL) INTO accepted, notified FROM gone g;
  IF accepted > 0 THEN UPDATE users u SET follower_count = u.follower_count + accepted WHERE u.id = account; END IF;
  IF notified THEN INSERT INTO changes (kind, actor_id, recipient_id) VALUES ('NOTIFIED', account, account); END IF;
  RETURN accepted;
END $$;

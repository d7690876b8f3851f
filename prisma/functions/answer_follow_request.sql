-- Accepts or declines the request of an account to follow the viewer. Both are locked first, so it is exact under any concurrency.
-- Returns accepted, also if the account follows the viewer already, declined, or not_found.
CREATE OR REPLACE FUNCTION answer_follow_request(viewer uuid, requester uuid, accepted boolean) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT lock_users(viewer, requester, 'request') THEN RETURN 'not_found'; END IF;
  IF NOT accepted THEN
    RETURN CASE WHEN end_follow_request(requester, viewer) THEN 'declined' ELSE 'not_found' END;
  END IF;
  IF accept_follow_requests(viewer, ARRAY[requester]) > 0
    OR EXISTS (SELECT FROM follows f WHERE f.follower_id = requester AND f.followee_id = viewer) THEN RETURN 'accepted'; END IF;
  RETURN 'not_found';
END $$;

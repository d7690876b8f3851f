-- Makes an account private, or opens it and accepts the requests of these accounts, if it is open then. All of them are locked. Returns
-- whether an open account has requests that are still to be accepted.
CREATE OR REPLACE FUNCTION set_private(account uuid, wanted boolean, requesters uuid[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF wanted THEN
    INSERT INTO private_accounts (user_id) VALUES (account) ON CONFLICT (user_id) DO NOTHING;
    RETURN false;
  END IF;
  DELETE FROM private_accounts a WHERE a.user_id = account;
  PERFORM accept_follow_requests(account, requesters);
  RETURN EXISTS (SELECT FROM follow_requests q WHERE q.requested_id = account);
END $$;

-- Updates the rows of hidden accounts when an account or its deletion changes, and writes the changes of the feed. The transaction that
-- makes the change has locked the account.
CREATE OR REPLACE FUNCTION keep_hidden_account() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  account uuid := CASE WHEN TG_TABLE_NAME = 'users' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(coalesce(NEW, OLD)) ->> 'user_id' END;
BEGIN
  IF EXISTS (SELECT FROM users u WHERE u.id = account AND u.suspended_at IS NOT NULL)
    OR EXISTS (SELECT FROM account_deletions d WHERE d.user_id = account) THEN
    INSERT INTO hidden_accounts (user_id) VALUES (account) ON CONFLICT DO NOTHING;
    IF FOUND THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('ACCOUNT_HIDDEN', account, account); END IF;
  ELSE
    DELETE FROM hidden_accounts h WHERE h.user_id = account;
    IF FOUND THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('ACCOUNT_SHOWN', account, account); END IF;
  END IF;
  RETURN NULL;
END $$;

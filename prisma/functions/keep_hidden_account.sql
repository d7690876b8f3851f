-- Updates the rows of hidden accounts when an account, its deletion or its approval changes, and writes the changes of the feed. The
-- transaction that makes the change has locked the account. Of one that waits for its approval, nobody has seen anything that the feed could
-- take back, and one that was erased with all of this is nothing to show.
CREATE OR REPLACE FUNCTION keep_hidden_account() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  changed jsonb := to_jsonb(coalesce(NEW, OLD));
  account uuid := CASE TG_TABLE_NAME WHEN 'account_deletions' THEN changed ->> 'user_id' ELSE changed ->> 'id' END;
BEGIN
  IF EXISTS (SELECT FROM users u WHERE u.id = account AND u.suspended_at IS NOT NULL)
    OR EXISTS (SELECT FROM account_deletions d WHERE d.user_id = account)
    OR EXISTS (SELECT FROM pending_accounts p WHERE p.id = account) THEN
    INSERT INTO hidden_accounts (user_id) VALUES (account) ON CONFLICT DO NOTHING;
    IF FOUND AND TG_TABLE_NAME <> 'pending_accounts' THEN
      INSERT INTO changes (kind, actor_id, user_id) VALUES ('ACCOUNT_HIDDEN', account, account);
    END IF;
  ELSIF EXISTS (SELECT FROM users u WHERE u.id = account) THEN
    DELETE FROM hidden_accounts h WHERE h.user_id = account;
    IF FOUND THEN INSERT INTO changes (kind, actor_id, user_id) VALUES ('ACCOUNT_SHOWN', account, account); END IF;
  END IF;
  RETURN NULL;
END $$;

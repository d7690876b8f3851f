-- Notes that an account became private or open, as an edit of the account and in the change feed. The transaction has locked the account,
-- or has removed it with this row.
CREATE OR REPLACE FUNCTION note_private() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  account uuid := coalesce(NEW.user_id, OLD.user_id);
BEGIN
  UPDATE users u SET edited_at = greatest(now(), coalesce(u.edited_at, u.joined_at) + interval '1 millisecond'), version = u.version + 1
    WHERE u.id = account;
  IF FOUND THEN
    INSERT INTO changes (kind, actor_id, user_id)
      VALUES (CASE TG_OP WHEN 'INSERT' THEN 'RESTRICTED' ELSE 'ACCOUNT_SHOWN' END::change_kind, account, account);
  END IF;
  RETURN NULL;
END $$;

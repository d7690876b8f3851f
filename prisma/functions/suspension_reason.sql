-- The reason of the latest suspension of an account, if one was given.
CREATE OR REPLACE FUNCTION suspension_reason(account uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT reason FROM moderation_acts WHERE user_id = account AND action = 'USER_SUSPENDED' ORDER BY id DESC LIMIT 1
$$;

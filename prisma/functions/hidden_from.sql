-- A row if an account is hidden from a viewer: by a block between both, or because it is suspended or being deleted. For conditions, such as
-- NOT EXISTS (SELECT FROM hidden_from(viewer, author)), into which it is inlined.
CREATE OR REPLACE FUNCTION hidden_from(viewer uuid, account uuid) RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
  SELECT true FROM blocked_pairs h WHERE h.viewer_id = viewer AND h.hidden_id = account
  UNION ALL SELECT true FROM hidden_accounts h WHERE h.user_id = account
$$;

-- Returns a row if an account is hidden from a viewer: because one of them blocks the other, or because it is suspended, being
-- deleted, or not approved yet.
-- Use it in conditions such as NOT EXISTS (SELECT FROM hidden_from(viewer, author)), into which PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION hidden_from(viewer uuid, account uuid) RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
  SELECT true FROM blocked_pairs h WHERE h.viewer_id = viewer AND h.hidden_id = account
  UNION ALL SELECT true FROM hidden_accounts h WHERE h.user_id = account
$$;

-- The accounts whose display names match a query, in no order, by their index; see publications_with.
CREATE OR REPLACE FUNCTION users_with(sought tsquery) RETURNS TABLE (id uuid)
LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
BEGIN
  RETURN QUERY SELECT u.id FROM users u WHERE to_tsvector('simple', search_text(u.display_name)) @@ sought;
END $$;

-- The publications that match a query, in no order, by their index. It has bitmap scans alone, which the service does without elsewhere.
CREATE OR REPLACE FUNCTION publications_with(sought tsquery) RETURNS TABLE (id uuid, author_id uuid, created_at timestamptz)
LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
BEGIN
  RETURN QUERY SELECT p.id, p.author_id, p.created_at FROM publications p
  WHERE p.deleted_at IS NULL AND to_tsvector('simple', search_text(p.content)) @@ sought;
END $$;

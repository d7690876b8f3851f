-- Returns the id of a change that is stored, or null for null. Otherwise raises no_data_found.
CREATE OR REPLACE FUNCTION known_change(change uuid) RETURNS uuid LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  known uuid;
BEGIN
  SELECT c.id INTO STRICT known FROM changes c WHERE c.id = change;
  RETURN known;
END $$;

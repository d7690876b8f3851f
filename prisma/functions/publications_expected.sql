-- How many publications meet a condition, as PostgreSQL expects by its statistics. Volatile, as a function that explains has to be.
CREATE OR REPLACE FUNCTION publications_expected(condition text) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM publications p WHERE ' || condition INTO plan;
  RETURN plan->0->'Plan'->>'Plan Rows';
END $$;

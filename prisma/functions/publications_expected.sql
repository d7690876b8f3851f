-- Returns how many publications PostgreSQL expects to meet a condition, by its statistics. A function that runs EXPLAIN has to be volatile.
CREATE OR REPLACE FUNCTION publications_expected(condition text) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM publications p WHERE ' || condition INTO plan;
  RETURN plan->0->'Plan'->>'Plan Rows';
END $$;

import type pg from 'pg'
import { z } from 'zod'
import { useAnotherSchema } from './migration-history.ts'

const schemaProblem = z.object({
  migrations: z.boolean(),
  requests: z.boolean(),
  problem: z.string(),
  advice: z.string(),
})

/** What keeps a user from migrating a schema or from serving requests, and what to do about it. */
type SchemaProblem = Readonly<z.infer<typeof schemaProblem>>

/** What extensions created in the schema does not count. Each list names at most ten. */
const statement = `
  WITH own AS (
    SELECT $1::text AS schema, to_regnamespace(quote_ident($1)) AS id, current_user::text AS role
  ), of_extensions AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
  ), relations AS (
    SELECT relname::text COLLATE "C" AS name, oid, relkind, relowner FROM pg_class, own
    WHERE relnamespace = own.id AND relkind IN ('r', 'p', 'v')
      AND ('pg_class'::regclass, oid) NOT IN (TABLE of_extensions)
  ), functions AS (
    SELECT proname::text COLLATE "C" AS name, oid, proconfig AS config FROM pg_proc, own
    WHERE pronamespace = own.id AND ('pg_proc'::regclass, oid) NOT IN (TABLE of_extensions)
  ), elsewhere AS (
    SELECT relnamespace::regnamespace::text AS name FROM pg_class WHERE relname = 'live_publications' ORDER BY 1 LIMIT 10
  ), inaccessible AS (
    SELECT name FROM relations
    WHERE NOT has_table_privilege(oid, 'SELECT') OR relkind <> 'v' AND name <> '_prisma_migrations' AND NOT (
      has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
    UNION SELECT name FROM functions WHERE NOT has_function_privilege(oid, 'EXECUTE')
    ORDER BY name LIMIT 10
  ), secured AS (
    SELECT name FROM relations WHERE row_security_active(oid) ORDER BY name LIMIT 10
  ), renamed AS (
    SELECT name, pg_get_function_identity_arguments(oid) AS arguments FROM functions, own, unnest(config) setting
    WHERE setting LIKE 'search\\_path=%' AND setting <> format('search_path=%I, pg_temp', schema) ORDER BY name
  ), owners AS (
    SELECT DISTINCT pg_get_userbyid(relowner)::text AS name FROM relations
    WHERE relkind <> 'v' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY name LIMIT 10
  )
  SELECT true AS migrations, true AS requests, format('%s cannot use the schema %s.', role, schema) AS problem,
    format('GRANT USAGE ON SCHEMA %I TO %I;', schema, role) AS advice
  FROM own WHERE NOT has_schema_privilege(id, 'USAGE')
  UNION ALL
  SELECT false, true, format('%s cannot use %s.', role, string_agg(name, ', ')), format(
    'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %1$I TO %2$I; '
    'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %1$I TO %2$I;', schema, role)
  FROM own, inaccessible GROUP BY role, schema
  UNION ALL
  SELECT false, true, format('Policies hide rows of %s from %s.', string_agg(name, ', '), role),
    string_agg(format('ALTER TABLE %I.%I DISABLE ROW LEVEL SECURITY;', schema, name), ' ')
  FROM own, secured GROUP BY role
  UNION ALL
  SELECT false, true, format('The schema %s had another name, which its functions use.', schema),
    string_agg(format('ALTER FUNCTION %1$I.%2$I(%3$s) SET search_path = %1$I, pg_temp;', schema, name, arguments), ' ')
  FROM own, renamed GROUP BY schema
  UNION ALL
  SELECT true, false, format('There is no schema %s, but the tables of Rookery are in %s.', schema, string_agg(name, ', ')),
    format('Name that schema in DATABASE_URL, or for a second network: CREATE SCHEMA %I;', schema)
  FROM own, elsewhere WHERE id IS NULL GROUP BY schema
  UNION ALL
  SELECT true, false, format('There is no schema %s, and %s cannot create it.', schema, role),
    format('CREATE SCHEMA %I AUTHORIZATION %I;', schema, role)
  FROM own WHERE id IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
  UNION ALL
  SELECT true, false, format('The schema %s has tables of something else.', schema), $2
  FROM own, relations GROUP BY schema HAVING bool_or(relkind <> 'v') AND NOT bool_or(name = '_prisma_migrations')
  UNION ALL
  SELECT true, false, format('%s cannot alter the tables of %s.', role, string_agg(name, ', ')), 'Migrate as their owner.'
  FROM own, owners GROUP BY role
  UNION ALL
  SELECT true, false, format('%s cannot create tables in the schema %s.', role, schema),
    format('GRANT CREATE ON SCHEMA %I TO %I;', schema, role)
  FROM own WHERE NOT has_schema_privilege(id, 'CREATE')`

/** What keeps the user from migrating or serving a schema, in the order in which to fix it. */
export async function schemaProblems(client: pg.ClientBase, schema: string): Promise<readonly SchemaProblem[]> {
  const { rows } = await client.query(statement, [schema, useAnotherSchema])
  return z.array(schemaProblem).parse(rows)
}

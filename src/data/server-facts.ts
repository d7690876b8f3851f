import type pg from 'pg'
import { z } from 'zod'

const facts = z.object({
  version: z.string(),
  user: z.string(),
  schema: z.string(),
  hasSchema: z.boolean(),
  /** The first ten other schemas of the database with tables of Rookery. */
  elsewhere: z.array(z.string()),
  /** Whether the user may see what is in the schema. */
  mayUse: z.boolean(),
  /** Whether the user can create tables in the schema, or the schema if it does not exist. */
  mayCreate: z.boolean(),
  /** The number of connections available to the user. */
  connections: z.number(),
  /** The first ten tables, views and functions of the schema that the user cannot read, write or execute. */
  inaccessible: z.array(z.string()),
  /** The first ten tables of which policies hide rows from the user. */
  rowSecured: z.array(z.string()),
  /** Statements that let the functions of triggers use this schema, if it had another name when they were created. */
  renamedSchemaFixes: z.array(z.string()),
  /** Whether the schema contains tables. */
  hasTables: z.boolean(),
  /** The first ten owners whose tables the user cannot alter. */
  otherOwners: z.array(z.string()),
})

/** The properties of a server that matter to Rookery. What extensions created in the schema does not. */
export type ServerFacts = Readonly<z.infer<typeof facts>>

/** Why the user cannot migrate, and what to do about it. Undefined if they can. */
export function whyNotMigrated(facts: ServerFacts): { readonly problem: string; readonly advice: string } | undefined {
  const { user, schema, hasSchema, mayUse, mayCreate, otherOwners, elsewhere } = facts
  if (!hasSchema && elsewhere.length > 0)
    return {
      problem: `There is no schema ${schema}, but the tables of Rookery are in ${elsewhere.join(', ')}.`,
      advice: `Name that schema in DATABASE_URL, or for a second network: CREATE SCHEMA "${schema}";`,
    }
  if (!hasSchema && !mayCreate)
    return {
      problem: `There is no schema ${schema}, and ${user} cannot create it.`,
      advice: `CREATE SCHEMA "${schema}" AUTHORIZATION "${user}";`,
    }
  if (!mayUse)
    return {
      problem: `${user} cannot use the schema ${schema}.`,
      advice: `GRANT USAGE ON SCHEMA "${schema}" TO "${user}";`,
    }
  if (otherOwners.length > 0)
    return {
      problem: `${user} cannot alter the tables of ${otherOwners.join(', ')}.`,
      advice: 'Migrate as their owner.',
    }
  if (!mayCreate)
    return {
      problem: `${user} cannot create tables in the schema ${schema}.`,
      advice: `GRANT CREATE ON SCHEMA "${schema}" TO "${user}";`,
    }
  return undefined
}

const statement = `
  WITH own AS (SELECT to_regnamespace(quote_ident($1)) AS id), of_extensions AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
  ), relations AS (
    SELECT relname::text COLLATE "C" AS name, oid, relkind, relowner FROM pg_class, own
    WHERE relnamespace = own.id AND relkind IN ('r', 'p', 'v')
      AND ('pg_class'::regclass, oid) NOT IN (TABLE of_extensions)
  ), functions AS (
    SELECT proname::text COLLATE "C" AS name, oid, proconfig AS config FROM pg_proc, own
    WHERE pronamespace = own.id AND ('pg_proc'::regclass, oid) NOT IN (TABLE of_extensions))
  SELECT
    current_setting('server_version') AS version, current_user::text AS user, $1 AS schema,
    own.id IS NOT NULL AS "hasSchema",
    coalesce(has_schema_privilege(own.id, 'USAGE'), true) AS "mayUse",
    ARRAY(
      SELECT relnamespace::regnamespace::text FROM pg_class
      WHERE relname = 'live_publications' AND relnamespace IS DISTINCT FROM own.id ORDER BY 1 LIMIT 10) AS elsewhere,
    coalesce(
      has_schema_privilege(own.id, 'CREATE'), has_database_privilege(current_database(), 'CREATE')) AS "mayCreate",
    least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user),
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS connections,
    ARRAY(
      SELECT name FROM relations
      WHERE NOT has_table_privilege(oid, 'SELECT') OR relkind <> 'v' AND name <> '_prisma_migrations' AND NOT (
        has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      UNION SELECT name FROM functions WHERE NOT has_function_privilege(oid, 'EXECUTE')
      ORDER BY name LIMIT 10) AS inaccessible,
    ARRAY(SELECT name FROM relations WHERE row_security_active(oid) ORDER BY name LIMIT 10) AS "rowSecured",
    ARRAY(
      SELECT format(
        'ALTER FUNCTION %1$I.%2$I(%3$s) SET search_path = %1$I, pg_temp;', $1, name, pg_get_function_identity_arguments(oid))
      FROM functions, unnest(config) setting
      WHERE setting LIKE 'search\\_path=%'
        AND setting <> format('search_path=%I, pg_temp', $1)
      ORDER BY name) AS "renamedSchemaFixes",
    EXISTS (SELECT FROM relations WHERE relkind <> 'v') AS "hasTables",
    ARRAY(
      SELECT DISTINCT pg_get_userbyid(relowner)::text FROM relations
      WHERE relkind <> 'v' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1 LIMIT 10) AS "otherOwners"
  FROM own`

/** Reads the properties of a server, and of a schema there, without changing it. */
export async function serverFacts(client: pg.ClientBase, schema: string): Promise<ServerFacts> {
  const { rows } = await client.query(statement, [schema])
  return facts.parse(rows[0])
}

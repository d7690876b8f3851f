import type pg from 'pg'
import { z } from 'zod'

const facts = z.object({
  version: z.string(),
  user: z.string(),
  schema: z.string(),
  hasSchema: z.boolean(),
  /** Whether the user can create tables in the schema, or the schema if it does not exist. */
  mayCreate: z.boolean(),
  /** The number of connections available to ordinary users. */
  connections: z.number(),
  /** The first ten tables and views of the schema that the user cannot read and write. */
  barred: z.array(z.string()),
  /** Whether the schema contains tables, other than those of extensions. */
  hasTables: z.boolean(),
  /** The first ten owners whose tables the user cannot alter. */
  otherOwners: z.array(z.string()),
})

/** The properties of a server that matter to Rookery. */
export type ServerFacts = Readonly<z.infer<typeof facts>>

/** That the user cannot create tables, and the statement that allows it. */
export function missingCreate({ user, schema, hasSchema }: ServerFacts) {
  if (!hasSchema) {
    return {
      problem: `There is no schema ${schema}, and ${user} cannot create it.`,
      advice: `CREATE SCHEMA "${schema}" AUTHORIZATION "${user}";`,
    }
  }
  return {
    problem: `${user} cannot create tables in the schema ${schema}.`,
    advice: `GRANT CREATE ON SCHEMA "${schema}" TO "${user}";`,
  }
}

const statement = `
  WITH own AS (SELECT to_regnamespace(quote_ident($1)) AS id), relations AS (
    SELECT relname::text AS name, oid, relkind, relowner FROM pg_class, own
    WHERE relnamespace = own.id AND relkind IN ('r', 'p', 'v'))
  SELECT
    current_setting('server_version') AS version, current_user::text AS user, $1 AS schema,
    own.id IS NOT NULL AS "hasSchema",
    coalesce(
      has_schema_privilege(own.id, 'CREATE'), has_database_privilege(current_database(), 'CREATE')) AS "mayCreate",
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
    ARRAY(
      SELECT name FROM relations
      WHERE NOT has_table_privilege(oid, 'SELECT') OR relkind <> 'v' AND name <> '_prisma_migrations' AND NOT (
        has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY name LIMIT 10)::text[] AS barred,
    EXISTS (SELECT FROM relations WHERE relkind <> 'v' AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = oid AND deptype = 'e')) AS "hasTables",
    ARRAY(
      SELECT DISTINCT pg_get_userbyid(relowner)::text FROM relations
      WHERE relkind <> 'v' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1 LIMIT 10) AS "otherOwners"
  FROM own`

/** Reads the properties of a server, and of a schema there, without changing it. */
export async function serverFacts(client: pg.ClientBase, schema: string): Promise<ServerFacts> {
  const { rows } = await client.query(statement, [schema])
  return facts.parse(rows[0])
}

import type { SqlQueryable } from '@prisma/driver-adapter-utils'
import { z } from 'zod'

/** The properties of a server that matter to Rookery. */
export type ServerFacts = {
  readonly version: string
  readonly user: string
  /** The schema of new tables; null if no schema in the search path exists. */
  readonly schema: string | null
  readonly encoding: string
  /** Whether it is a standby, or the server or the user is read-only. */
  readonly readOnly: boolean
  /** Whether the user can create tables in the schema. */
  readonly mayCreate: boolean
  /** The number of connections available to ordinary users. */
  readonly connections: number
  /** The first ten tables and views of the schema that the user cannot read and write. */
  readonly barred: readonly string[]
  /** Whether the schema contains tables or views. */
  readonly hasTables: boolean
  /** The first ten owners whose tables the user cannot alter. */
  readonly otherOwners: readonly string[]
}

/** That the user cannot create tables, and the statement that allows it. */
export function missingCreate({ user, schema }: ServerFacts) {
  return {
    problem: `${user} cannot create tables in the schema ${schema}.`,
    advice: `GRANT CREATE ON SCHEMA "${schema}" TO "${user}";`,
  }
}

const statement = `
  WITH relations AS (
    SELECT relname::text AS name, oid, relkind, relowner FROM pg_class
    WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relkind IN ('r', 'p', 'v'))
  SELECT
    current_setting('server_version'), current_user::text, current_schema()::text, current_setting('server_encoding'),
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    ARRAY(
      SELECT name FROM relations
      WHERE NOT has_table_privilege(oid, 'SELECT') OR relkind <> 'v' AND name <> '_prisma_migrations' AND NOT (
        has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY name LIMIT 10)::text[],
    EXISTS (SELECT FROM relations),
    ARRAY(
      SELECT DISTINCT pg_get_userbyid(relowner)::text FROM relations
      WHERE relkind <> 'v' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1 LIMIT 10)`

const answer = z.tuple([
  z.tuple([
    z.string(),
    z.string(),
    z.string().nullable(),
    z.string(),
    z.boolean(),
    z.boolean(),
    z.number(),
    z.array(z.string()),
    z.boolean(),
    z.array(z.string()),
  ]),
])

/** Reads the properties of a server without changing it. */
export async function serverFacts(database: SqlQueryable): Promise<ServerFacts> {
  const { rows } = await database.queryRaw({ sql: statement, args: [], argTypes: [] })
  const [[version, user, schema, encoding, readOnly, mayCreate, connections, barred, hasTables, otherOwners]] =
    answer.parse(rows)
  return { version, user, schema, encoding, readOnly, mayCreate, connections, barred, hasTables, otherOwners }
}

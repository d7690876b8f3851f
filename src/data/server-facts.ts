import type { SqlQueryable } from '@prisma/driver-adapter-utils'
import { z } from 'zod'

/** What a server is like, as far as serving from it is concerned. */
export type ServerFacts = {
  readonly version: string
  readonly user: string
  /** Where tables are made; null when the search path has no schema that exists. */
  readonly schema: string | null
  readonly encoding: string
  /** A standby, or a server or a user that may only read. */
  readonly readOnly: boolean
  /** Whether the user may make tables in the schema. */
  readonly mayCreate: boolean
  /** Connections that ordinary users can have. */
  readonly connections: number
  /** Tables and views of the schema that the user may not read and write, the first ten. */
  readonly barred: readonly string[]
  /** Whether the schema has tables or views at all. */
  readonly hasTables: boolean
  /** Whose tables of the schema the user may not alter, the first ten. */
  readonly otherOwners: readonly string[]
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

/** Asks a server what it is like. It changes nothing. */
export async function serverFacts(database: SqlQueryable): Promise<ServerFacts> {
  const { rows } = await database.queryRaw({ sql: statement, args: [], argTypes: [] })
  const [[version, user, schema, encoding, readOnly, mayCreate, connections, barred, hasTables, otherOwners]] =
    answer.parse(rows)
  return { version, user, schema, encoding, readOnly, mayCreate, connections, barred, hasTables, otherOwners }
}

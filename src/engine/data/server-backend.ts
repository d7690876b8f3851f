import pg from 'pg'
import type { Log } from '../log.ts'
import type { Backend } from './backend.ts'
import { DatabaseError, messageOf } from './database-error.ts'
import { connectionStrings, hostUrls, isBehindPgBouncer, parameterIn, withoutPassword } from './database-url.ts'
import { connectTimeout, openPooledBackend } from './pooled-backend.ts'
import { sharedSettings } from './serving-settings.ts'

/** The oldest major version of PostgreSQL that is served. */
const oldestServed = 15

/**
 * The schema is that of the URL, the first of the search path with tables of Rookery, or else the first one; null if none exists. What the
 * database lacks for PgBouncer are statements that set it.
 */
const facts = `
  WITH own AS (
    SELECT coalesce($1, (
      SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relname = 'live_publications' AND nspname = ANY (current_schemas(false))
      ORDER BY pg_catalog.array_position(current_schemas(false), nspname) LIMIT 1), current_schema())::text AS schema)
  SELECT current_setting('server_version_num')::int / 10000 AS version, pg_is_in_recovery() AS "isStandby",
    current_setting('server_encoding') AS encoding, schema,
    ARRAY(
      SELECT format('ALTER DATABASE %I SET %s = %L;', current_database(), name, value)
      FROM jsonb_each_text($2) AS needed (name, value) JOIN pg_settings USING (name) WHERE reset_val <> value
      UNION ALL
      SELECT format(
        'CREATE SCHEMA IF NOT EXISTS %1$I; ALTER DATABASE %2$I SET search_path = %1$I, pg_temp;', schema, current_database())
      WHERE schema IS DISTINCT FROM current_schema()) AS lacking
  FROM own`

type Facts = {
  readonly version: number
  readonly isStandby: boolean
  readonly encoding: string
  readonly schema: string | null
  readonly lacking: readonly string[]
}

/** The SQLSTATE of a connection that pg_hba.conf refuses, and the message of `pg` for a server that does not encrypt. */
const refused = '28000'
const notEncrypting = 'The server does not support SSL connections'

const unknownAuthority = 'Name the file of the certificate authority with &sslrootcert= in DATABASE_URL.'

/** Advice by system error code, SQLSTATE (PostgreSQL documentation, appendix A), or message of `pg` that has no code. */
const advices: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or correct the host and the port.',
  ENOTFOUND: 'Correct the host.',
  EAI_AGAIN: 'Correct the host, or see to the name server.',
  ENOENT: 'Correct the path of the socket, or start PostgreSQL.',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string': 'Add the password to DATABASE_URL.',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  '28P01': 'Correct the user or the password.',
  [refused]: 'Correct the user, let it in by pg_hba.conf, or add ?sslmode=verify-full to DATABASE_URL.',
  '3D000': 'Create the database with createdb, or correct its name.',
  '42501': 'Give the user the right to connect.',
  '53300': 'Let the server have more connections, or lower DATABASE_POOL.',
  '57P03': 'Wait until the server has started, and try again.',
}

/** Opens a PostgreSQL server. Throws a `DatabaseError` without the password if it is not usable. */
export async function openServerBackend(
  url: string,
  { poolSize, serves }: { readonly poolSize: number; readonly serves: boolean },
  log: Log,
): Promise<Backend> {
  const unusable = (reason: string, advice: string, cause?: unknown) =>
    new DatabaseError(`DATABASE_URL: cannot use ${withoutPassword(url)}: ${reason}.`, { advice, cause })
  try {
    const hosts = hostUrls(url)
    const { targets, server } = await reachPrimary(hosts)
    const { schema, lacking } = server
    const behindPgBouncer = isBehindPgBouncer(url)
    if (server.version < oldestServed)
      throw unusable(`it is PostgreSQL ${server.version}, and ${oldestServed} is the oldest served`, 'Upgrade it.')
    if (server.encoding !== 'UTF8')
      throw unusable(
        `its encoding is ${server.encoding}`,
        'Create one with createdb --encoding=UTF8 --template=template0.',
      )
    if (serves && server.isStandby)
      throw unusable('it is a standby, which takes no writes', 'Point DATABASE_URL at the primary.')
    if (schema === null)
      throw unusable('no schema of its search path exists', 'Name one in DATABASE_URL with ?schema=name.')
    if (behindPgBouncer && lacking.length > 0)
      throw unusable(
        'the database lacks settings for PgBouncer in transaction mode',
        `Run this, and RECONNECT in PgBouncer: ${lacking.join(' ')}`,
      )
    const avoidsStandbys = hosts.length > 1 || parameterIn(url, 'target_session_attrs') !== undefined
    const options = { size: poolSize, serves, avoidsStandbys, behindPgBouncer, schema }
    return openPooledBackend(targets, options, log)
  } catch (error) {
    throw error instanceof DatabaseError ? error : unusable(messageOf(error), adviceOn(error), error)
  }
}

/** A server, and how to connect: to it, or later to those of the other hosts. */
type Reached = { readonly targets: readonly pg.ClientConfig[]; readonly server: Facts }

/** The first of these hosts that is no standby, or if there is none, the first standby. */
async function reachPrimary(hosts: readonly string[]): Promise<Reached> {
  const errors: unknown[] = []
  let standby: Reached | undefined
  for (const [nth, host] of hosts.entries()) {
    try {
      const { target, attempt, server } = await reach(connectionStrings(host))
      const others = [...hosts.slice(nth + 1), ...hosts.slice(0, nth)].map(connectionStrings)
      const targets = [target, ...others.map((urls) => ({ connectionString: urls[attempt] ?? urls[0] }))]
      if (!server.isStandby) return { targets, server }
      standby ??= { targets, server }
    } catch (error) {
      errors.push(error)
    }
  }
  if (standby) return standby
  throw errors.length === 1 ? errors[0] : new AggregateError(errors)
}

/** The first of these targets that can be used. Another one is tried if the server requires encryption, or does not support it. */
async function reach(
  [connectionString = '', ...others]: readonly string[],
  attempt = 0,
): Promise<{ readonly target: pg.ClientConfig; readonly attempt: number; readonly server: Facts }> {
  const target = { connectionString }
  try {
    return { target, attempt, server: await inspect(connectionString) }
  } catch (error) {
    if (others.length === 0 || ![refused, notEncrypting].includes(codeOf(error) || messageOf(error))) throw error
    return reach(others, attempt + 1)
  }
}

async function inspect(connectionString: string): Promise<Facts> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: connectTimeout,
  })
  // An error of the connection reaches its statement.
  client.on('error', () => undefined)
  await client.connect()
  const values = [parameterIn(connectionString, 'schema'), sharedSettings]
  const { rows } = await client.query<Facts>(facts, values).finally(() => client.end())
  const [server] = rows
  if (!server) throw new TypeError('it does not answer')
  return server
}

function adviceOn(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (first instanceof Error && 'path' in first && 'syscall' in first && first.syscall === 'open')
    return `Correct the file ${first.path}, which sslrootcert, sslcert or sslkey names.`
  return advices[codeOf(first) || messageOf(first)] ?? 'Correct DATABASE_URL, or see to that server.'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

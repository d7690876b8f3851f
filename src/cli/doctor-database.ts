import type pg from 'pg'
import type { Backend } from '../engine/data/backend.ts'
import { DatabaseError, DatabaseInUse, MigrationError, messageOf } from '../engine/data/database-error.ts'
import { isBehindPgBouncer } from '../engine/data/database-url.ts'
import { openEmbeddedBackend } from '../engine/data/embedded/embedded-server.ts'
import { hasEmbeddedDatabase } from '../engine/data/embedded/folder.ts'
import { migrationsFolder, readMigrations } from '../engine/data/migration-files.ts'
import { pendingMigrations, readHistory } from '../engine/data/migration-history.ts'
import { reservedConnections } from '../engine/data/pooled-backend.ts'
import { schemaProblems } from '../engine/data/schema-problems.ts'
import { openServerBackend } from '../engine/data/server-backend.ts'
import { createLog } from '../engine/log.ts'
import { Authenticators } from '../features/accounts/second-factor/authenticators.ts'
import { mailKinds } from '../features/mail/jobs.ts'
import { type Config, databaseOptions } from '../server/config.ts'
import { type Check, check } from './check.ts'

/** A query for problems. Each row that it finds is a warning with advice. */
type Inspection = {
  readonly name: string
  /** The message if it finds nothing. */
  readonly fine: string
  readonly find: string
  readonly values?: (config: Config) => unknown[]
}

/** Checks of a PostgreSQL server. */
const ofServer: readonly Inspection[] = [
  {
    name: 'Connections',
    fine: 'The server accepts as many as Rookery opens.',
    find: `
      SELECT format('Rookery opens up to %s connections, but the server accepts only %s in total.', $1::int, accepted) AS message,
        'Lower DATABASE_POOL or WORKERS, or raise max_connections or the connection limit of the user or database.' AS advice
      FROM pg_roles, pg_database, least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) accepted
      WHERE rolname = session_user AND datname = current_database() AND accepted < $1`,
    // Each process has another one while it starts.
    values: ({ databasePool, workers }) => [workers * (databasePool + reservedConnections + 1)],
  },
  {
    name: 'Access',
    fine: 'Only roles with a GRANT can connect.',
    find: `
      SELECT format('Every role of the server can connect%s.', ': ' || string_agg(rolname, ', ' ORDER BY rolname)) AS message,
        format('GRANT CONNECT ON DATABASE %1$I TO %2$I; REVOKE CONNECT ON DATABASE %1$I FROM PUBLIC;', current_database(),
          current_user) AS advice
      FROM (
        SELECT rolname FROM pg_roles WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user ORDER BY rolname LIMIT 10) others
      HAVING has_database_privilege('public', current_database(), 'CONNECT')`,
  },
]

/** Checks of the tables, once they exist. */
const ofTables: readonly Inspection[] = [
  {
    name: 'Jobs',
    fine: 'No job has failed.',
    find: `
      SELECT 'These failed and will be retried: ' || string_agg(format('%s of %s: %s.', failing, kind, error), ' ' ORDER BY
        kind) AS message,
        'See the log of the server for details.' AS advice
      FROM (SELECT kind, count(error) AS failing, max(error) AS error FROM jobs WHERE error IS NOT NULL GROUP BY kind) kinds
      HAVING count(*) > 0`,
  },
  {
    name: 'Waiting e-mails',
    fine: 'No e-mail is waiting for a mail server.',
    find: `
      SELECT format('Waiting for a mail server: %s, since %s.', count(*), to_char(min(due_at), 'YYYY-MM-DD')) AS message,
        'Set SMTP_URL, or start a process that has it set.' AS advice
      FROM jobs WHERE $1 AND kind = ANY ($2) AND due_at < now() HAVING count(*) > 0`,
    values: ({ mail }) => [mail === undefined, mailKinds],
  },
]

/** Runs these checks. */
async function inspect(client: pg.ClientBase, inspections: readonly Inspection[], config: Config): Promise<Check[]> {
  const checks: Check[] = []
  for (const { name, fine, find, values } of inspections) {
    const { rows } = await client.query<{ message: string; advice: string }>(find, values?.(config) ?? [])
    checks.push(...rows.map(({ message, advice }) => check('warning', name, message, advice)))
    if (rows.length === 0) checks.push(check('ok', name, fine))
  }
  return checks
}

/** Checks that the key decrypts the secrets of authenticator apps, with the latest of them. */
async function checkSecrets(client: pg.ClientBase, { secretsKey, siteName }: Config): Promise<Check> {
  const { rows } = await client.query<{ user_id: string; secret: Buffer; accounts: string }>(
    'SELECT user_id, secret, count(*) OVER () AS accounts FROM second_factors ORDER BY created_at DESC LIMIT 1',
  )
  const [latest] = rows
  const isRight = latest && secretsKey && new Authenticators(secretsKey, siteName).open(latest.user_id, latest.secret)
  if (!latest || isRight) return check('ok', 'Accounts', 'No account needs another SECRETS_KEY.')
  const which = secretsKey ? 'With this' : 'Without'
  const message = `Accounts with a second factor: ${latest.accounts}. ${which} SECRETS_KEY, codes of their apps do not work.`
  return check('warning', 'Accounts', message, 'Set SECRETS_KEY to the key with which they were set up.')
}

const name = 'Database'

/** Checks the configured database: that it can be used, its migrations and its jobs. */
export async function checkDatabase(config: Config): Promise<Check[]> {
  const options = databaseOptions(config, 'command')
  const isEmbedded = options.kind === 'embedded'
  try {
    return isEmbedded ? await checkEmbedded(options.folder, config) : await checkServer(options.url, config)
  } catch (error) {
    if (error instanceof DatabaseInUse) return [check('warning', name, error.problem, 'Try again later.')]
    if (error instanceof DatabaseError && (!isEmbedded || error.advice))
      return [check('problem', name, error.problem, error.advice)]
    const cause = messageOf(error instanceof DatabaseError ? error.cause : error)
    const [message, advice] = isEmbedded
      ? [
          `DATA_DIR: cannot open ${options.folder}: ${cause}.`,
          'Restore a backup, or set DATA_DIR to another directory.',
        ]
      : [`DATABASE_URL: cannot inspect the database: ${cause}.`, 'Check the logs of the database server.']
    return [check('problem', name, message, advice)]
  }
}

/** Checks an embedded database through the running server, or by opening it. */
async function checkEmbedded(folder: string, config: Config): Promise<Check[]> {
  if (!hasEmbeddedDatabase(folder))
    return [check('ok', name, `No database in ${folder} yet; the first start creates it.`)]
  const { backend } = await openEmbeddedBackend(
    { folder, opener: 'command', prebuilt: undefined },
    createLog(config.logLevel),
  )
  const checks = backend.onOwnConnection((client) => checkContents(client, config)).finally(() => backend.close())
  return [check('ok', name, `Embedded in ${folder}.`), ...(await checks).checks]
}

async function checkServer(url: string, config: Config): Promise<Check[]> {
  const backend = await openServerBackend(url, { poolSize: 1, serves: true }, createLog(config.logLevel))
  const { schema } = backend
  const isPooled = isBehindPgBouncer(url)
  const checks = backend.onOwnConnection(async (client) => {
    const { rows } = await client.query<{ text: string }>(
      `SELECT format('PostgreSQL %s, as %s, in the schema %s.', current_setting('server_version'), current_user, $1::text) AS text`,
      [schema],
    )
    return [
      check('ok', name, rows[0]?.text ?? ''),
      ...(isPooled ? [] : await checkPooler(client, backend)),
      // Behind PgBouncer, the server sees other connections.
      ...(await inspect(
        client,
        ofServer.filter((each) => !isPooled || each.name !== 'Connections'),
        config,
      )),
      ...(await checkSchema(client, schema, config)),
    ]
  })
  return checks.finally(() => backend.close())
}

/** Checks that each connection has a session of its own and keeps it, which PgBouncer's transaction mode prevents. */
async function checkPooler(one: pg.ClientBase, backend: Backend): Promise<Check[]> {
  const sessionOf = async (client: pg.ClientBase) =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  const session = await sessionOf(one)
  const isKept = await backend.onOwnConnection(async (other) => {
    await other.query('BEGIN')
    const isOther = (await sessionOf(other)) !== session && (await sessionOf(one)) === session
    await other.query('COMMIT')
    return isOther
  })
  if (isKept) return []
  const message = 'PgBouncer does not keep the session of a connection: it is in transaction mode.'
  return [check('problem', 'PgBouncer', message, 'Add pgbouncer=true to the parameters of DATABASE_URL.')]
}

/** Checks that the user may do what Rookery does in the schema, and its contents. */
async function checkSchema(client: pg.ClientBase, schema: string, config: Config): Promise<Check[]> {
  const [first] = await schemaProblems(client, schema)
  if (first?.requests) return [check('problem', 'Rights', first.problem, first.advice)]
  const { checks, isBehind } = await checkContents(client, config)
  const rights = first
    ? check(isBehind ? 'problem' : 'warning', 'Rights', first.problem, first.advice)
    : check('ok', 'Rights', 'The database user can read, write and migrate.')
  return [rights, ...checks]
}

/** Checks that all migrations of this version were applied unchanged, and if so, the jobs. */
async function checkContents(client: pg.ClientBase, config: Config): Promise<{ checks: Check[]; isBehind: boolean }> {
  const all = await readMigrations(migrationsFolder)
  const history = await readHistory(client)
  const migrations = (...[status, ...texts]: [Check['status'], string, string?]) =>
    check(status, 'Migrations', ...texts)
  try {
    const pending = pendingMigrations(all, history).map((migration) => migration.name)
    if (pending.length === 0)
      return {
        isBehind: false,
        checks: [
          migrations('ok', 'Every migration is applied.'),
          await checkSecrets(client, config),
          ...(await inspect(client, ofTables, config)),
        ],
      }
    const advice = 'The next start applies them. To apply them now, run "rookery migrate".'
    const isNew = history.length === 0
    const found = isNew
      ? migrations('ok', 'No migration has been applied yet.', advice)
      : migrations('warning', `Pending: ${pending.join(', ')}.`, advice)
    return { isBehind: true, checks: [found] }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return { isBehind: false, checks: [migrations('problem', error.message)] }
  }
}

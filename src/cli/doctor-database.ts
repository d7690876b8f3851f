import type pg from 'pg'
import type { Backend } from '../engine/data/backend.ts'
import { DatabaseError, DatabaseInUse, MigrationError, messageOf } from '../engine/data/database-error.ts'
import { isBehindPgBouncer } from '../engine/data/database-url.ts'
import { openEmbeddedBackend } from '../engine/data/embedded/embedded-backend.ts'
import { hasEmbeddedDatabase } from '../engine/data/embedded/folder.ts'
import { migrationsFolder, readMigrations } from '../engine/data/migration-files.ts'
import { pendingMigrations, readHistory } from '../engine/data/migration-history.ts'
import { schemaProblems } from '../engine/data/schema-problems.ts'
import { openServerBackend } from '../engine/data/server-backend.ts'
import { createLog } from '../engine/log.ts'
import type { Config } from '../server/config.ts'
import { databaseOptions } from '../server/database-options.ts'
import { type Check, check } from './check.ts'
import { inspect, ofServer, ofTables } from './doctor-inspections.ts'

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
      ? [`DATA_DIR: cannot open ${options.folder}: ${cause}.`, 'Restore a backup, or set DATA_DIR to another folder.']
      : [`DATABASE_URL: cannot inspect the database: ${cause}.`, 'Check the logs of that server.']
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

/** Checks that a connection keeps its session: not if another one gets the same one, or if it gets another one meanwhile. */
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
  const message = 'PgBouncer changes sessions between transactions.'
  return [check('problem', 'PgBouncer', message, 'Add pgbouncer=true to the parameters of DATABASE_URL.')]
}

/** Checks that the user may do what Rookery does in the schema, and its contents. */
async function checkSchema(client: pg.ClientBase, schema: string, config: Config): Promise<Check[]> {
  const [first] = await schemaProblems(client, schema)
  if (first?.requests) return [check('problem', 'Rights', first.problem, first.advice)]
  const { checks, isBehind } = await checkContents(client, config)
  const rights = first
    ? check(isBehind ? 'problem' : 'warning', 'Rights', first.problem, first.advice)
    : check('ok', 'Rights', 'The user can read, write and migrate.')
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
        checks: [migrations('ok', `All ${all.length} are applied.`), ...(await inspect(client, ofTables, config))],
      }
    const advice = 'The next start applies them; "rookery migrate" applies them now.'
    const isNew = history.length === 0
    const found = isNew
      ? migrations('ok', 'None applied yet.', advice)
      : migrations('warning', `Pending: ${pending.join(', ')}.`, advice)
    return { isBehind: true, checks: [found] }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return { isBehind: false, checks: [migrations('problem', error.message)] }
  }
}

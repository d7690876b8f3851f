import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { databaseOptions } from '../../data/database.ts'
import { DatabaseError, MigrationError, messageOf } from '../../data/database-error.ts'
import { openEmbeddedBackend } from '../../data/embedded/embedded-backend.ts'
import { hasEmbeddedDatabase } from '../../data/embedded/folder.ts'
import { migrationsFolder, readMigrations } from '../../data/migration-files.ts'
import { pendingMigrations, readHistory } from '../../data/migration-history.ts'
import { openServerBackend } from '../../data/server-backend.ts'
import { serverFacts } from '../../data/server-facts.ts'
import { isBehindPgBouncer } from '../../database-url.ts'
import { createLog, type Log } from '../../log.ts'
import { type Check, check } from './check.ts'
import { checkJobs } from './jobs.ts'
import { checkReplicas } from './replicas.ts'
import { checkConnections, checkRights, describeServer } from './server.ts'

const name = 'Database'

/** Checks the configured database: that it can be used, and its migrations. */
export function checkDatabase(config: Config): Promise<Check[]> {
  const options = databaseOptions(config, 'command')
  const log = createLog(config.logLevel)
  if (options.kind === 'embedded') return checkEmbedded(options.folder, log)
  return checkOnServer(options.url, config, log)
}

async function checkOnServer(url: string, config: Config, log: Log): Promise<Check[]> {
  try {
    const backend = await openServerBackend(url, { poolSize: 1, serves: true }, log)
    const checks = backend.onOwnConnection(async (client) => {
      const facts = await serverFacts(client, backend.schema)
      if (facts.inaccessible.includes('_prisma_migrations')) return [describeServer(facts), checkRights(facts)]
      const { checks, ...history } = await checkContents(client)
      // Behind PgBouncer, the server sees other connections.
      const connections = isBehindPgBouncer(url) ? [] : [checkConnections(facts, config)]
      return [describeServer(facts), ...connections, checkRights(facts, history), ...checks]
    })
    const replicas = checks.then(() => checkReplicas(config.databaseReplicaUrls, backend, log))
    return await replicas.then(async (more) => [...(await checks), ...more]).finally(() => backend.close())
  } catch (error) {
    if (error instanceof DatabaseError) return [check('problem', name, error.problem, error.advice)]
    const message = `DATABASE_URL: cannot inspect the database: ${messageOf(error)}.`
    return [check('problem', name, message, 'Check the logs of that server.')]
  }
}

/** Checks an embedded database through the running server, or by opening it. */
async function checkEmbedded(folder: string, log: Log): Promise<Check[]> {
  try {
    let nearest = folder
    while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
    await access(`${nearest}/.`, constants.W_OK | constants.X_OK)
  } catch (error) {
    const message = `DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`
    return [check('problem', name, message, 'Set DATA_DIR to a folder that this user can write to.')]
  }
  if (!hasEmbeddedDatabase(folder))
    return [check('ok', name, `No database in ${folder} yet; the first start creates it.`)]
  try {
    const { backend } = await openEmbeddedBackend({ folder, opener: 'command', prebuilt: undefined }, log)
    const { checks } = await backend.onOwnConnection(checkContents).finally(() => backend.close())
    return [check('ok', name, `Embedded in ${folder}.`), ...checks]
  } catch (error) {
    const { problem, cause } = error instanceof DatabaseError ? error : { problem: '', cause: error }
    // Another command uses it.
    if (cause === undefined) return [check('warning', name, problem, 'Try again later.')]
    const message = `DATA_DIR: cannot open ${folder}: ${messageOf(cause)}.`
    return [check('problem', name, message, 'Restore a backup, or set DATA_DIR to another folder.')]
  }
}

/** Checks that all migrations of this version were applied unchanged, and if so, the jobs. */
async function checkContents(client: pg.ClientBase) {
  const all = await readMigrations(migrationsFolder)
  const history = await readHistory(client)
  const isNew = history.length === 0
  const result = (...[status, ...texts]: [Check['status'], string, string?]) => [check(status, 'Migrations', ...texts)]
  try {
    const pending = pendingMigrations(all, history).map(({ name }) => name)
    const isBehind = pending.length > 0
    const applied = result('ok', `All ${all.length} are applied.`)
    if (!isBehind) return { isNew, isBehind, checks: [...applied, await checkJobs(client)] }
    if (isNew) return { isNew, isBehind, checks: result('ok', 'None applied yet; the first start applies them.') }
    const advice = 'The next start applies them; "rookery migrate" applies them now.'
    return { isNew, isBehind, checks: result('warning', `Pending: ${pending.join(', ')}.`, advice) }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return { isNew, isBehind: false, checks: result('problem', error.message) }
  }
}

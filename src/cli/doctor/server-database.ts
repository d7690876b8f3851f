import { DriverAdapterError } from '@prisma/driver-adapter-utils'
import { DatabaseError } from '../../data/database-error.ts'
import { reservedConnections } from '../../data/pooled-backend.ts'
import { openServerBackend } from '../../data/server-backend.ts'
import { type ServerFacts, serverFacts } from '../../data/server-facts.ts'
import type { Log } from '../../log.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations, type Migrated } from './migrations.ts'

/** The checks of a PostgreSQL server: whether it can be reached and used, what the user may do there, and the migrations. */
export async function checkServer(url: string, poolSize: number, log: Log): Promise<Check[]> {
  try {
    const backend = await openServerBackend(url, { poolSize: 1, serves: false }, log)
    try {
      const facts = await serverFacts(backend.queryable)
      if (facts.barred.includes('_prisma_migrations')) return [serverCheck(facts), rightsCheck(facts)]
      const migrated = await checkMigrations(backend)
      return [serverCheck(facts), poolCheck(facts, poolSize), rightsCheck(facts, migrated), migrated.check]
    } finally {
      await backend.close()
    }
  } catch (error) {
    const { problem } = checksOf('Database')
    if (error instanceof DatabaseError) return [problem(error.problem, error.advice)]
    return [problem(`DATABASE_URL: cannot look into the database: ${reasonOf(error)}.`, 'See to that server.')]
  }
}

/** The server's own words, where it was the server that refused. */
function reasonOf(error: unknown): string {
  return (error instanceof DriverAdapterError ? error.cause.originalMessage : undefined) ?? messageOf(error)
}

function serverCheck({ version, encoding, readOnly, user }: ServerFacts): Check {
  const { ok, problem } = checksOf('Database')
  if (encoding !== 'UTF8')
    return problem(`Its encoding is ${encoding}.`, 'Create one with createdb --encoding=UTF8 --template=template0.')
  if (readOnly)
    return problem('It can only be read.', 'Name the primary server in DATABASE_URL, or let the user write.')
  return ok(`PostgreSQL ${version}, as ${user}.`)
}

function poolCheck({ connections }: ServerFacts, poolSize: number): Check {
  const { ok, warning } = checksOf('Connections')
  const most = poolSize + reservedConnections
  if (most <= connections) return ok(`At most ${most}, of ${connections} that the server has for all.`)
  return warning(
    `With DATABASE_POOL ${poolSize} it takes up to ${most} connections, and the server has ${connections} for all.`,
    "Lower DATABASE_POOL, or raise the server's max_connections.",
  )
}

function rightsCheck(
  { user, schema, barred, mayCreate, hasTables, otherOwners }: ServerFacts,
  migrated?: Migrated,
): Check {
  const { ok, warning, problem } = checksOf('Rights')
  if (schema === null)
    return problem('No schema of the search path exists.', `CREATE SCHEMA public AUTHORIZATION "${user}";`)
  if (barred.length > 0)
    return problem(
      `${user} may not read and write ${barred.join(', ')}.`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${user}";`,
    )
  if (migrated?.isNew && hasTables)
    return problem(`The schema ${schema} has tables of something else.`, 'Give Rookery a database of its own.')
  const grant = `GRANT CREATE ON SCHEMA "${schema}" TO "${user}";`
  if (!mayCreate && migrated?.pending) return problem(`${user} may not make tables in the schema ${schema}.`, grant)
  if (!mayCreate)
    return warning(`${user} may not make tables in the schema ${schema}, as a newer version may have to.`, grant)
  if (otherOwners.length > 0)
    return warning(
      `${user} may read and write, but not alter the tables of ${otherOwners.join(', ')}, as a newer version may have to.`,
      `Migrate as their owner, or make ${user} their owner.`,
    )
  return ok(`${user} may read, write and migrate.`)
}

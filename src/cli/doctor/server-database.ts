import { DatabaseError } from '../../data/database-error.ts'
import { reservedConnections } from '../../data/pooled-backend.ts'
import { openServerBackend } from '../../data/server-backend.ts'
import { missingCreate, type ServerFacts, serverFacts } from '../../data/server-facts.ts'
import type { Log } from '../../log.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations, type Migrated } from './migrations.ts'

/** Checks a PostgreSQL server: the connection, the privileges of the user, and the migrations. */
export async function checkServer(url: string, poolSize: number, log: Log): Promise<Check[]> {
  try {
    const backend = await openServerBackend(url, { poolSize: 1, serves: false }, log)
    try {
      return await backend.onOwnConnection(async (client) => {
        const facts = await serverFacts(client)
        if (facts.barred.includes('_prisma_migrations')) return [serverCheck(facts), rightsCheck(facts)]
        const migrated = await checkMigrations(client)
        return [serverCheck(facts), poolCheck(facts, poolSize), rightsCheck(facts, migrated), migrated.check]
      })
    } finally {
      await backend.close()
    }
  } catch (error) {
    const { problem } = checksOf('Database')
    if (error instanceof DatabaseError) return [problem(error.problem, error.advice)]
    return [
      problem(`DATABASE_URL: cannot inspect the database: ${messageOf(error)}.`, 'Check the logs of that server.'),
    ]
  }
}

function serverCheck({ version, encoding, readOnly, user }: ServerFacts): Check {
  const { ok, problem } = checksOf('Database')
  if (encoding !== 'UTF8')
    return problem(
      `The encoding of the database is ${encoding}.`,
      'Create one with createdb --encoding=UTF8 --template=template0.',
    )
  if (readOnly)
    return problem('The database is read-only.', 'Set DATABASE_URL to the primary server, or allow the user to write.')
  return ok(`PostgreSQL ${version}, as ${user}.`)
}

function poolCheck({ connections }: ServerFacts, poolSize: number): Check {
  const { ok, warning } = checksOf('Connections')
  const most = poolSize + reservedConnections
  if (most <= connections) return ok(`Up to ${most} of the ${connections} that the server accepts.`)
  return warning(
    `With DATABASE_POOL=${poolSize}, Rookery opens up to ${most} connections, but the server accepts ${connections} in total.`,
    "Lower DATABASE_POOL, or raise the server's max_connections.",
  )
}

function rightsCheck(facts: ServerFacts, migrated?: Migrated): Check {
  const { user, schema, barred, mayCreate, hasTables, otherOwners } = facts
  const { ok, warning, problem } = checksOf('Rights')
  if (schema === null)
    return problem('No schema in the search path exists.', `CREATE SCHEMA public AUTHORIZATION "${user}";`)
  if (barred.length > 0)
    return problem(
      `${user} cannot read and write ${barred.join(', ')}.`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${user}";`,
    )
  if (migrated?.isNew && hasTables)
    return problem(`The schema ${schema} has tables of something else.`, 'Use a separate database for Rookery.')
  const create = missingCreate(facts)
  if (!mayCreate && migrated?.pending) return problem(create.problem, create.advice)
  if (!mayCreate)
    return warning(
      `${user} cannot create tables in the schema ${schema}, which a later migration may need.`,
      create.advice,
    )
  if (otherOwners.length > 0)
    return warning(
      `${user} can read and write, but not alter the tables of ${otherOwners.join(', ')}, which a later migration may need.`,
      `Migrate as their owner, or make ${user} their owner.`,
    )
  return ok(`${user} can read, write and migrate.`)
}

import type { Config } from '../../config.ts'
import { useAnotherSchema } from '../../data/migration-history.ts'
import { reservedConnections } from '../../data/pooled-backend.ts'
import { type ServerFacts, whyNotMigrated } from '../../data/server-facts.ts'
import { type Check, check } from './check.ts'

/** Names the server, the user and the schema. */
export function describeServer({ version, user, schema }: ServerFacts): Check {
  return check('ok', 'Database', `PostgreSQL ${version}, as ${user}, in the schema ${schema}.`)
}

/** Checks that a server accepts as many connections as Rookery opens. */
export function checkConnections(
  { connections }: ServerFacts,
  { databasePool, workers }: Pick<Config, 'databasePool' | 'workers'>,
): Check {
  // Each process has another one while it starts.
  const most = workers * (databasePool + reservedConnections + 1)
  const name = 'Connections'
  if (most <= connections) return check('ok', name, `Up to ${most} of the ${connections} that the server accepts.`)
  const message = `With DATABASE_POOL=${databasePool} and WORKERS=${workers}, Rookery opens up to ${most} connections, but the server accepts ${connections} in total.`
  const advice =
    'Lower DATABASE_POOL or WORKERS, or raise max_connections of the server, or the limit of the user or the database.'
  return check('warning', name, message, advice)
}

/** Checks that the user may do what Rookery does. A database is new before its first migration, and behind when some are pending. */
export function checkRights(facts: ServerFacts, { isNew = false, isBehind = false } = {}): Check {
  const { user, schema, inaccessible, rowSecured, renamedSchemaFixes, mayUse, hasTables } = facts
  const problem = (message: string, advice: string) => check('problem', 'Rights', message, advice)
  const why = whyNotMigrated(facts)
  if (why && !mayUse) return problem(why.problem, why.advice)
  if (inaccessible.length > 0)
    return problem(
      `${user} cannot use ${inaccessible.join(', ')}.`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${user}"; ` +
        `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO "${user}";`,
    )
  if (rowSecured.length > 0)
    return problem(
      `Policies hide rows of ${rowSecured.join(', ')} from ${user}.`,
      rowSecured.map((name) => `ALTER TABLE "${schema}"."${name}" DISABLE ROW LEVEL SECURITY;`).join(' '),
    )
  if (renamedSchemaFixes.length > 0)
    return problem(`The schema ${schema} had another name, which its functions use.`, renamedSchemaFixes.join(' '))
  if (isNew && hasTables) return problem(`The schema ${schema} has tables of something else.`, useAnotherSchema)
  if (why && isBehind) return problem(why.problem, why.advice)
  if (why) return check('warning', 'Rights', `${why.problem} A later migration may need it.`, why.advice)
  return check('ok', 'Rights', `${user} can read, write and migrate.`)
}

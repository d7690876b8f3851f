import { withoutPassword } from '../database-url.ts'
import type { Log } from '../log.ts'
import type { Backend } from './backend.ts'
import { DatabaseError } from './database-error.ts'
import { openPooledBackend } from './pooled-backend.ts'

/** The oldest major version of PostgreSQL that is served. */
const oldestServed = 15

const facts = `
  SELECT current_setting('server_version_num')::int / 10000 AS version, pg_is_in_recovery() AS "isStandby"`

/** Advice by system error code or SQLSTATE (PostgreSQL documentation, appendix A). */
const advices: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or correct the host and the port.',
  ENOTFOUND: 'Correct the host.',
  EAI_AGAIN: 'Correct the host, or see to the name server.',
  ENOENT: 'Correct the path of the socket, or start PostgreSQL.',
  '28P01': 'Correct the user or the password.',
  '28000': 'Correct the user, or let it in by pg_hba.conf.',
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
  const backend = openPooledBackend({ connectionString: url }, { size: poolSize, serves, isSerial: false }, log)
  try {
    const [server] = await backend.runReserved<{ version: number; isStandby: boolean }>(facts, [])
    if (server && server.version < oldestServed)
      throw unusable(`it is PostgreSQL ${server.version}, and ${oldestServed} is the oldest served`, 'Upgrade it.')
    if (serves && server?.isStandby)
      throw unusable('it is a standby, which takes no writes', 'Point DATABASE_URL at the primary.')
    return backend
  } catch (error) {
    await backend.close()
    throw error instanceof DatabaseError ? error : unusable(reasonOf(error), adviceOn(error), error)
  }
}

function reasonOf(error: unknown): string {
  // A host name with several addresses gives an error for each of them, and an empty message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function adviceOn(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = first instanceof Error && 'code' in first ? String(first.code) : ''
  return advices[code] ?? 'Correct DATABASE_URL, or see to that server.'
}

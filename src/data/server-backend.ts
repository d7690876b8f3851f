import { withoutPassword } from '../database-url.ts'
import type { Log } from '../log.ts'
import type { Backend } from './backend.ts'
import { connectionAdvice } from './connection-advice.ts'
import { DatabaseError } from './database-error.ts'
import { openPooledBackend, type PoolOptions } from './pooled-backend.ts'

/** Opens a PostgreSQL server. Throws a `DatabaseError` without the password if it is not usable. */
export async function openServerBackend(
  url: string,
  { poolSize, serves }: { readonly poolSize: number } & Pick<PoolOptions, 'serves'>,
  log: Log,
): Promise<Backend> {
  try {
    return await openPooledBackend({ connectionString: url }, { size: poolSize, serves, isSerial: false }, log)
  } catch (cause) {
    const problem = `DATABASE_URL: cannot use ${withoutPassword(url)}: ${reasonOf(cause)}.`
    throw new DatabaseError(problem, { cause, advice: connectionAdvice(cause) })
  }
}

function reasonOf(error: unknown): string {
  // A host name with several addresses gives an error for each of them, and an empty message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

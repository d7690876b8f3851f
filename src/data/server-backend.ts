import { withoutPassword } from '../database-url.ts'
import type { Log } from '../log.ts'
import type { Backend } from './backend.ts'
import { connectionAdvice } from './connection-advice.ts'
import { DatabaseError } from './database-error.ts'
import { openPooledBackend } from './pooled-backend.ts'

/** A PostgreSQL server. Throws a `DatabaseError` without the password where it cannot be used. */
export async function openServerBackend(
  url: string,
  { poolSize, serves }: { readonly poolSize: number; readonly serves: boolean },
  log: Log,
): Promise<Backend> {
  try {
    const shares = { alone: Math.ceil(poolSize / 2), each: Math.ceil(poolSize / 5) }
    return await openPooledBackend({ connectionString: url }, { size: poolSize, shares, serves, canCancel: true }, log)
  } catch (cause) {
    const problem = `DATABASE_URL: cannot use ${withoutPassword(url)}: ${reasonOf(cause)}.`
    throw new DatabaseError(problem, { cause, advice: connectionAdvice(cause) })
  }
}

function reasonOf(error: unknown): string {
  // A name with several addresses gives an error for each, and an empty message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

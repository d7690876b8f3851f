import pg from 'pg'
import { isOutcomeUnknown } from './unavailable.ts'

/**
 * A pool connection. If it breaks while it opens, it fails like a refused connection, so that it is not mistaken for one that broke
 * after a statement was sent.
 */
export class PoolClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
  override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect()
    super.connect((error: Error) => {
      Reflect.apply(callback, undefined, [asRefused(error), this])
    })
    return undefined
  }
}

/** Maps an error during connecting to a refused connection, because it could be mistaken for a lost result. */
export function asRefused<T>(error: T): T | Error {
  if (!(error instanceof Error && isOutcomeUnknown(error))) return error
  return Object.assign(new Error(error.message), { code: 'ECONNREFUSED', syscall: 'connect' })
}

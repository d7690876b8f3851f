import pg from 'pg'
import { isOutcomeUnknown } from './unavailable.ts'

/**
 * A connection of a pool. One that breaks before it is open fails as one that is refused does, so that nobody takes it for one that broke
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

/** An error of a connection that is not open yet, as one that is refused where it could be taken for a lost answer. */
export function asRefused<T>(error: T): T | Error {
  if (!(error instanceof Error && isOutcomeUnknown(error))) return error
  return Object.assign(new Error(error.message), { code: 'ECONNREFUSED', syscall: 'connect' })
}

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
      Reflect.apply(callback, undefined, [isOutcomeUnknown(error) ? refused(error) : error, this])
    })
    return undefined
  }
}

function refused({ message }: Error): Error {
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' })
}

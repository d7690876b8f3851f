import type { TransactionalClient } from '../../../engine/data/client.ts'
import type { Resources } from './resources.ts'

/** What adapters depend on. */
export type StoreOptions = {
  readonly database: TransactionalClient
  readonly resources: Resources
  /** Whether owners get e-mails. */
  readonly sendsMail: boolean
  /** Is called with the id of each account that lost a token. */
  readonly forget: (userId: string) => void
}

/** A time as the protocol has it, in seconds (RFC 7519, section 2). */
export const epochSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** The rest of an adapter whose records are only found by their ids, and never used up. What belongs to a grant is deleted with it. */
export const simpleStore = {
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  revokeByGrantId: async () => undefined,
}

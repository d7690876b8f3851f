import type { Prisma } from './generated/prisma/client.ts'

/** Runs statements: the database or a transaction. Functions receive it, and their callers decide which. */
export type Client = Prisma.TransactionClient

/** A client that can run work in one transaction; the times are in milliseconds. Inside a transaction, the work joins it. */
export type TransactionalClient = Client & {
  $connect(): Promise<void>
  $transaction<T>(
    work: (transaction: Client) => Promise<T>,
    options?: { readonly maxWait?: number; readonly timeout?: number },
  ): Promise<T>
}

/** A transaction that the transactions of the code that it is passed to join. */
export function joinable(transaction: Client): TransactionalClient {
  const own = {
    $transaction: <T>(work: (transaction: Client) => Promise<T>): Promise<T> => work(transaction),
    // Pothos recognizes a client by this method.
    $connect: () => Promise.resolve(),
  }
  // Inherited, because Prisma passes what is assigned on to its client.
  const joined: TransactionalClient = Object.create(transaction, Object.getOwnPropertyDescriptors(own))
  return joined
}

import { retrying } from './database-error.ts'
import type { Prisma } from './generated/prisma/client.ts'

// Prisma hands on nothing but the text of a statement.
const mark = '/* not prepared */ '

/** The text of a statement for Prisma that is not prepared. */
export const unprepared = (text: string) => `${mark}${text}`

/** Whether a statement that Prisma runs is not prepared. */
export const isUnprepared = (text: string) => text.startsWith(mark)

/** Runs statements: the database or a transaction. Functions receive it, and their callers decide which. */
export type Client = Prisma.TransactionClient

/** How work runs in one transaction; the times are in milliseconds. Inside a transaction, the work joins it. */
type Transactions = {
  $connect(): Promise<void>
  $transaction<T>(
    work: (transaction: Client) => Promise<T>,
    options?: { readonly maxWait?: number; readonly timeout?: number },
  ): Promise<T>
}

/** A client that can run work in one transaction. */
export type TransactionalClient = Client & Transactions

/** A transaction that the transactions of the code that it is passed to join. */
export function joinable(transaction: Client): TransactionalClient {
  return inheriting(transaction, {
    $transaction: (work) => work(transaction),
    // Pothos recognizes a client by this method.
    $connect: () => Promise.resolve(),
  })
}

/** A client whose transactions are repeated after a conflict with others. */
export function repeating(client: TransactionalClient): TransactionalClient {
  return inheriting(client, {
    $transaction: (work, options) => retrying(() => client.$transaction(work, options)),
    $connect: () => client.$connect(),
  })
}

/** A client with methods of its own. It inherits the others, because Prisma passes what is assigned on to its client. */
function inheriting(client: Client, own: Transactions): TransactionalClient {
  const inherited: TransactionalClient = Object.create(client, Object.getOwnPropertyDescriptors(own))
  return inherited
}

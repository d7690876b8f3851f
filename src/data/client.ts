import type { Prisma } from './generated/prisma/client.ts'

/** What runs statements: a door of the database, or a transaction. Functions take it, and only their callers open one. */
export type Client = Prisma.TransactionClient

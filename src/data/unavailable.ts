import { Prisma } from './generated/prisma/client.ts'

/** Prisma's codes for a server that is out of reach or too slow, and for a pool or a transaction that waited too long. */
const codes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'])

/** Whether an error says that the database cannot answer now, rather than that something is wrong with what was asked. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && codes.has(error.code)
}

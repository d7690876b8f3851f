import { Prisma } from './generated/prisma/client.ts'

/** Whether a Prisma error is a unique violation. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'
}

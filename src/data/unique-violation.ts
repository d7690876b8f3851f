import { Prisma } from './generated/prisma/client.ts'

/** Whether an error of Prisma says that a unique index refused a row. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'
}

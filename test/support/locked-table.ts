import type { TestApp } from './app.ts'
import { liftLockLimit } from './lock-limit.ts'

/** Runs `action` while no statement can read or change this table. */
export async function whileLocked({ database }: TestApp, table: string, action: () => Promise<unknown>): Promise<void> {
  await liftLockLimit(database)
  await database.write.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(`lock table ${table} in access exclusive mode`)
    await action()
  })
}

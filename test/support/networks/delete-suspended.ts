import { staleness } from '../../../src/engine/auth/viewers.ts'
import { type DeletedCounts, deleteAccount } from '../../../src/features/deletion/deletion.ts'
import type { Person, TestApp } from '../app.ts'

/** Deletes an account that was suspended a while ago, so that nothing has to wait until other processes know it. */
export async function deleteSuspended({ database }: TestApp, { id }: Person): Promise<DeletedCounts> {
  const suspendedAt = new Date(Date.now() - staleness)
  await database.write.prisma.user.update({ where: { id }, data: { suspendedAt } })
  return deleteAccount(database, id)
}

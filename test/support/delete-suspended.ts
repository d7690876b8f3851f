import { deleteAccount, type Erased } from '../../src/domain/account-deletion.ts'
import { staleness } from '../../src/domain/sessions.ts'
import type { Person, TestApp } from './app.ts'

/** Deletes an account that was suspended a while ago, so that nothing has to wait until other processes know it. */
export async function deleteSuspended({ database }: TestApp, { id }: Person): Promise<Erased> {
  const suspendedAt = new Date(Date.now() - staleness)
  await database.write.prisma.user.update({ where: { id }, data: { suspendedAt } })
  return deleteAccount(database, id)
}

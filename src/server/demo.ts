import type { Database } from '../data/database.ts'
import { hasNoAccounts } from '../domain/accounts.ts'

/** Fills an empty database with the demo network. */
export async function fillWithDemo(database: Database): Promise<void> {
  if (!(await hasNoAccounts(database.write.prisma))) return
  const [{ seed }, { demoNetwork }] = await Promise.all([import('../seed/seed.ts'), import('../seed/seed-options.ts')])
  await seed(database, { ...demoNetwork, now: new Date() })
}

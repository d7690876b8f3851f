import { PrismaPg } from '@prisma/adapter-pg'
import { retrying } from './retrying.ts'

/** Prisma's adapter, whose single statements are repeated after a conflict with others. */
export class PrismaAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    const executeRaw = adapter.executeRaw.bind(adapter)
    return Object.assign(adapter, {
      queryRaw: (query: Parameters<typeof queryRaw>[0]) => retrying(() => queryRaw(query)),
      executeRaw: (query: Parameters<typeof executeRaw>[0]) => retrying(() => executeRaw(query)),
    })
  }
}

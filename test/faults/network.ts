import { v7 as newId } from 'uuid'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/data/database.ts'
import { issueToken } from '../../src/domain/access-tokens.ts'
import { createLog } from '../../src/log.ts'
import { scopes } from '../../src/scopes.ts'
import { wrongCounters } from '../support/counters.ts'
import { editedText, type Ledger, type Outcome, type Target } from './load.ts'

const people = 4

/** A database on a server, opened as commands do. */
export const forCommands = (url: string) => ({ kind: 'server', url, poolSize: 2, opener: 'command' }) as const

async function use<T>(options: DatabaseOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(options, createLog('silent'))
  return work(database).finally(() => database.close())
}

/** Fills a new database with a few accounts and a post of each. The nth token belongs to the author of the nth post. */
export function settle(options: DatabaseOptions): Promise<Omit<Target, 'origins'>> {
  return use(options, async ({ write: { prisma } }) => {
    const users = Array.from({ length: people }, () => newId())
    const publications = Array.from({ length: people }, () => newId())
    const tokens: string[] = []
    for (const [nth, id] of users.entries()) {
      const username = `person_${nth}`
      await prisma.user.create({ data: { id, username, displayName: username, email: `${username}@example.org` } })
      const request = { userId: id, name: 'Faults', scopes, expiresAt: null }
      tokens.push((await prisma.$transaction((transaction) => issueToken(transaction, request))).token)
      await prisma.publication.create({ data: { id: publications[nth] ?? '', authorId: id, content: 'Hello' } })
    }
    return { users, publications, tokens }
  })
}

/** Whether an outcome contradicts the database. */
function contradicts(outcome: Outcome | undefined, isDone: boolean): boolean {
  return (outcome === 'acknowledged' && !isDone) || (outcome === 'refused' && isDone)
}

/** The differences between the record of the clients and the database. */
export function audit(options: DatabaseOptions, { sent, deleted, changed }: Ledger): Promise<unknown[]> {
  return use(options, async (database) => {
    const rows = await database.write.prisma.$queryRaw<{ content: string; count: number }[]>`
      select content, count(*)::int as count from publications where content like 'fault %' group by content`
    const counts = new Map(rows.map(({ content, count }) => [content, count]))
    const left = await database.write.prisma.publication.findMany({
      where: { id: { in: [...deleted] }, deletedAt: null },
      select: { id: true },
    })
    const found = await database.write.prisma.publication.findMany({
      where: { id: { in: [...changed.keys()] } },
      select: { id: true, content: true, likes: { select: { userId: true } } },
    })
    const wronglyChanged = found.filter(({ id, content, likes }) => {
      const { liked, edited } = changed.get(id) ?? {}
      return contradicts(liked, likes.length === 1) || contradicts(edited, content === editedText)
    })
    return [
      ...[...sent].filter(([text, outcome]) => contradicts(outcome, counts.has(text))),
      ...rows.filter(({ count }) => count > 1),
      ...left,
      ...wronglyChanged,
      ...(await wrongCounters(database)),
    ]
  })
}

import { v7 as newId } from 'uuid'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/data/database.ts'
import { issueToken } from '../../src/domain/access-tokens.ts'
import { createLog } from '../../src/log.ts'
import { scopes } from '../../src/scopes.ts'
import { wrongCounters } from '../support/counters.ts'
import type { Ledger, Target } from './load.ts'

const people = 4

async function use<T>(options: DatabaseOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(options, createLog('silent'))
  return work(database).finally(() => database.close())
}

/** Fills a new database with a few people who have posted; whoever has the nth token is the author of the nth post. */
export function settle(options: DatabaseOptions): Promise<Omit<Target, 'origins'>> {
  return use(options, async ({ write }) => {
    const users = Array.from({ length: people }, () => newId())
    const publications = Array.from({ length: people }, () => newId())
    const tokens: string[] = []
    for (const [nth, id] of users.entries()) {
      const username = `person_${nth}`
      await write.user.create({ data: { id, username, displayName: username, email: `${username}@example.org` } })
      const request = { userId: id, name: 'Faults', scopes, expiresAt: null }
      tokens.push((await write.$transaction((transaction) => issueToken(transaction, request))).token)
      await write.publication.create({ data: { id: publications[nth] ?? '', authorId: id, content: 'Hello' } })
    }
    return { users, publications, tokens }
  })
}

/** What is wrong with what the database holds: nothing, always. */
export type Audit = {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** What is there although it was refused. */
  readonly refusedButDone: readonly string[]
  readonly notDeleted: readonly string[]
  readonly wrongCounters: readonly unknown[]
}

/** What an audit of a network finds when nothing is wrong. */
export const flawless: Audit = { lost: [], doubled: [], refusedButDone: [], notDeleted: [], wrongCounters: [] }

/** Compares what clients were told with what the database holds. */
export function audit(options: DatabaseOptions, { sent, deleted }: Ledger): Promise<Audit> {
  return use(options, async (database) => {
    const rows = await database.read.$queryRaw<{ content: string; count: number }[]>`
      select content, count(*)::int as count from publications where content like 'fault %' group by content`
    const counts = new Map(rows.map(({ content, count }) => [content, count]))
    const left = await database.read.publication.findMany({
      where: { id: { in: [...deleted] }, deletedAt: null },
      select: { id: true },
    })
    const texts = [...sent]
    return {
      lost: texts.filter(([text, outcome]) => outcome === 'acknowledged' && !counts.has(text)).map(([text]) => text),
      doubled: rows.filter(({ count }) => count > 1).map(({ content }) => content),
      refusedButDone: texts
        .filter(([text, outcome]) => outcome === 'refused' && counts.has(text))
        .map(([text]) => text),
      notDeleted: left.map(({ id }) => id),
      wrongCounters: await wrongCounters(database),
    }
  })
}

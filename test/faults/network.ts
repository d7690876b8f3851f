import { v7 as newId } from 'uuid'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/engine/data/database.ts'
import { createLog } from '../../src/engine/log.ts'
import type { Scope } from '../../src/engine/scopes.ts'
import { issueToken } from '../../src/features/accounts/access-tokens.ts'
import { commonScopes } from '../../src/features/base/scopes.ts'
import { deleteAccount } from '../../src/features/deletion/deletion.ts'
import type { Target } from './load.ts'

/** How many accounts write, and how many only read. */
const [people, readers] = [4, 4]

/** How many accounts keep a copy of a timeline. */
const keeping = 2

/** How many of those who write each reader follows. */
export const followed = 2

/** A database on a server, opened as commands do. */
export const forCommands = (url: string) => ({ kind: 'server', url, poolSize: 2, opener: 'command' }) as const

/** Works with a database, and closes it. */
export async function use<T>(options: DatabaseOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(options, createLog('silent'))
  return work(database).finally(() => database.close())
}

/** Creates an account with a token, which is that of a moderator if its scopes say so. */
export async function join({ write: { prisma } }: Database, username: string, scopes: readonly Scope[] = commonScopes) {
  const id = newId()
  const moderatorSince = scopes.includes('moderation.manage') ? new Date() : null
  const names = { username, displayName: username, email: `${username}@example.org` }
  await prisma.user.create({ data: { id, ...names, moderatorSince } })
  const request = { userId: id, name: 'Faults', scopes, expiresAt: null }
  const { token } = await prisma.$transaction((transaction) => issueToken(transaction, request))
  return { id, token, username }
}

/** Deletes an account that has no tokens, at once. */
export function deleteNow(options: DatabaseOptions, id: string): Promise<unknown> {
  return use(options, async (database) => {
    // Otherwise it would wait until all processes refuse its tokens.
    await database.write.prisma.user.update({ where: { id }, data: { suspendedAt: new Date(0) } })
    return deleteAccount(database, id)
  })
}

/** Fills a new database with a few accounts and a post of each, with readers, and a fan. */
export function populate(options: DatabaseOptions): Promise<Omit<Target, 'origins'>> {
  return use(options, async (database) => {
    const { prisma } = database.write
    const target = {
      users: [] as string[],
      usernames: [] as string[],
      publications: [] as string[],
      tokens: [] as string[],
    }
    for (let nth = 0; nth < people; nth += 1) {
      const username = `person_${nth}`
      const { id, token } = await join(database, username)
      const post = await prisma.publication.create({ data: { id: newId(), authorId: id, content: 'Hello' } })
      target.users.push(id)
      target.usernames.push(username)
      target.tokens.push(token)
      target.publications.push(post.id)
    }
    const follow = async (id: string, users: readonly string[]) => {
      for (const user of users)
        await prisma.$queryRaw`select set_follow(new_id => ${newId()}::uuid, viewer => ${id}::uuid, object => ${user}::uuid, wanted => true,
          most => 100)`
    }
    const tokens: string[] = []
    for (let nth = 0; nth < readers; nth += 1) {
      const { id, token } = await join(database, `reader_${nth}`)
      tokens.push(token)
      await follow(id, target.users.slice(0, followed))
    }
    const keepers: Target['keepers'][number][] = []
    for (let nth = 0; nth < keeping; nth += 1) {
      const keeper = await join(database, `keeper_${nth}`)
      await follow(keeper.id, target.users)
      keepers.push(keeper)
    }
    const { id: fan } = await join(database, 'fan')
    await follow(fan, target.users)
    for (const post of target.publications)
      await prisma.$queryRaw`select set_like(new_id => ${newId()}::uuid, viewer => ${fan}::uuid, object => ${post}::uuid, wanted => true,
        posts => true, replies => true)`
    return { ...target, readers: tokens, fan, keepers }
  })
}

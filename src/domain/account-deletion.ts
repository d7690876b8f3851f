import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import { eraseLocked, lockWithParents, removeErasedLikes } from './erasure.ts'
import { staleness } from './sessions.ts'

/** How many rows are changed in one transaction, so that nobody waits long for a large account. */
const batchSize = 200

/** How often whatever was written meanwhile is erased too. */
const attempts = 10

/** How many posts and replies, likes and follows of an account were erased. */
export type Erased = { readonly publications: number; readonly likes: number; readonly follows: number }

type Prisma = Access['write']['prisma']
type Id = { readonly id: string }
type Count = { readonly count: number }

/**
 * Deletes an account with everything that it wrote, in short transactions. Its publications stay as tombstones without content, author
 * or application. It is suspended first, so an interrupted deletion leaves a suspended account, and can be run again.
 * Throws `CONFLICT` if the account is still being written to.
 */
export async function deleteAccount(database: Access, userId: string): Promise<Erased> {
  const { prisma } = database.write
  const remaining = await suspendForDeletion(prisma, userId)
  const erased = { publications: 0, likes: 0, follows: 0 }
  for (let attempt = 0; attempt <= attempts; attempt += 1) {
    const more = await eraseOf(prisma, userId)
    erased.publications += more.publications
    erased.likes += more.likes
    erased.follows += more.follows
    if (attempt === 0) {
      // Until then, other processes accept tokens that they have looked up before.
      await sleep(remaining)
      continue
    }
    const follows = await removeRow(prisma, userId)
    if (follows === undefined) continue
    await removeErasedLikes(database)
    return { ...erased, follows: erased.follows + follows }
  }
  throw new Refusal('CONFLICT', 'The account is still being written to. It is suspended now: delete it again later.')
}

/** Suspends the account, revokes its tokens, and returns for how many milliseconds other processes may still accept them. */
async function suspendForDeletion(prisma: Prisma, userId: string): Promise<number> {
  return prisma.$transaction(async (transaction) => {
    const [row] = await transaction.$queryRaw<{ age: number }[]>`
      update users set suspended_at = coalesce(suspended_at, now()) where id = ${userId}::uuid
      returning (extract(epoch from now() - suspended_at) * 1000)::float8 as age`
    await transaction.accessToken.deleteMany({ where: { userId } })
    // A clock that was ahead may have dated the suspension.
    return Math.max(0, staleness - Math.max(0, row?.age ?? 0))
  })
}

async function eraseOf(prisma: Prisma, userId: string): Promise<Erased> {
  const erased = {
    publications: await inBatches(prisma, (transaction) => erasePublications(transaction, userId)),
    likes: await inBatches(prisma, (transaction) => eraseLikes(transaction, userId)),
    follows: await inBatches(prisma, async (transaction) => {
      const others = await partnersOf(transaction, userId)
      return { found: others.length, count: await eraseFollows(transaction, userId, others) }
    }),
  }
  await prisma.application.deleteMany({ where: { ownerId: userId } })
  return erased
}

/** Runs transactions until one finds nothing to erase any more, and returns the number of what was erased. */
async function inBatches(
  prisma: Prisma,
  erase: (transaction: Client) => Promise<{ readonly found: number; readonly count: number }>,
): Promise<number> {
  let total = 0
  for (;;) {
    const { found, count } = await prisma.$transaction(erase)
    total += count
    if (found < batchSize) return total
  }
}

/** Tombstones of earlier deletions lose their author too, but do not count. */
async function erasePublications(transaction: Client, userId: string) {
  const rows = await transaction.$queryRaw<Id[]>`
    select id from publications where author_id = ${userId}::uuid order by id limit ${batchSize}`
  const ids = rows.map(({ id }) => id)
  const live = (await lockWithParents(transaction, ids)).map(({ id }) => id)
  await eraseLocked(transaction, live)
  await transaction.$executeRaw`
    update publications set author_id = null, application_id = null where id = any(${ids}::uuid[])`
  return { found: ids.length, count: live.length }
}

async function eraseLikes(transaction: Client, userId: string) {
  // Locked in the order of all writes that lock publications.
  const locked = await transaction.$queryRaw<Id[]>`
    select id from publications
    where id in (select publication_id from likes where user_id = ${userId}::uuid limit ${batchSize})
    order by id for no key update`
  const [row] = await transaction.$queryRaw<Count[]>`
    with gone as (
      delete from likes
      where user_id = ${userId}::uuid and publication_id = any(${locked.map(({ id }) => id)}::uuid[]) returning publication_id),
    counted as (
      update publications set like_count = like_count - 1 from gone where id = gone.publication_id and deleted_at is null)
    select count(*)::int as count from gone`
  return { found: locked.length, count: row?.count ?? 0 }
}

/** Erases the follows between the account and others, in both directions. */
async function eraseFollows(transaction: Client, userId: string, others: string[]): Promise<number> {
  // The order of all writes that lock users.
  await transaction.$queryRaw`
    select id from users where id = any(${[userId, ...others]}::uuid[]) order by id for no key update`
  const [row] = await transaction.$queryRaw<Count[]>`
    with gone as (
      delete from follows
      where follower_id = ${userId}::uuid and followee_id = any(${others}::uuid[])
        or followee_id = ${userId}::uuid and follower_id = any(${others}::uuid[])
      returning follower_id, followee_id),
    changed as (
      select id, sum(followers)::int as followers, sum(following)::int as following from (
        select followee_id as id, 1 as followers, 0 as following from gone
        union all select follower_id, 0, 1 from gone) sides
      group by id),
    counted as (
      update users set follower_count = follower_count - changed.followers, following_count = following_count - changed.following
      from changed where users.id = changed.id)
    select count(*)::int as count from gone`
  return row?.count ?? 0
}

/** Accounts that follow the account or that it follows, no more than one transaction should change. Those that do both may be named twice. */
async function partnersOf(client: Client, userId: string): Promise<string[]> {
  const rows = await client.$queryRaw<Id[]>`
    select followee_id as id from follows where follower_id = ${userId}::uuid
    union all select follower_id from follows where followee_id = ${userId}::uuid limit ${batchSize}`
  return rows.map(({ id }) => id)
}

/**
 * Removes the row of the account with the follows that others have made meanwhile, and returns their number. Does nothing and returns
 * undefined if something else still refers to the account, or if somebody follows it whose row is not locked.
 */
function removeRow(prisma: Prisma, userId: string): Promise<number | undefined> {
  return prisma.$transaction(async (transaction) => {
    const partners = await partnersOf(transaction, userId)
    // In the order of all writes that lock users. Nothing that would refer to the account can be inserted then.
    await transaction.$queryRaw`
      select id from users where id = any(${[userId, ...partners]}::uuid[]) order by id for update`
    const left = await partnersOf(transaction, userId)
    if (left.length >= batchSize || left.some((id) => !partners.includes(id))) return undefined
    const [other] = await transaction.$queryRaw<{ remains: boolean }[]>`
      select exists (select from publications where author_id = ${userId}::uuid)
        or exists (select from likes where user_id = ${userId}::uuid)
        or exists (select from applications where owner_id = ${userId}::uuid) as remains`
    if (other?.remains) return undefined
    const follows = await eraseFollows(transaction, userId, left)
    await transaction.accessToken.deleteMany({ where: { userId } })
    await transaction.userBadge.deleteMany({ where: { userId } })
    await transaction.idempotencyKey.deleteMany({ where: { accountId: userId } })
    await transaction.user.deleteMany({ where: { id: userId } })
    return follows
  })
}

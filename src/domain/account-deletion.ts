import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import { eraseLocked, lockWithParents, removeErasedLikes } from './erasure.ts'
import { staleness } from './sessions.ts'

/** How many ids are read at once, and how many rows are changed in one transaction, so that nobody waits long for a large account. */
const pageSize = 10_000
const batchSize = 200

/** How often whatever was written meanwhile is erased too. */
const attempts = 10

/** How many posts and replies, likes and follows of an account were erased. */
export type Erased = { readonly publications: number; readonly likes: number; readonly follows: number }

type Prisma = Database['write']['prisma']
type Id = { readonly id: string }
type Count = { readonly count: number }

/**
 * Deletes an account with everything that it wrote, in short transactions. Its publications stay as tombstones without content, author
 * or application. It is suspended first, so an interrupted deletion leaves a suspended account, and can be run again.
 * Throws `CONFLICT` if the account is still being written to.
 */
export async function deleteAccount(database: Database, userId: string): Promise<Erased> {
  const { prisma } = database.write
  const remaining = await suspendForDeletion(prisma, userId)
  let erased = await eraseOf(prisma, userId)
  // Until then, other processes accept tokens that they have looked up before.
  await sleep(remaining)
  const partners = new Set<string>()
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const more = await eraseOf(prisma, userId)
    const last = await removeRow(prisma, userId, partners)
    erased = {
      publications: erased.publications + more.publications,
      likes: erased.likes + more.likes,
      follows: erased.follows + more.follows + (last ?? 0),
    }
    if (last === undefined) continue
    await removeErasedLikes(database)
    return erased
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
    return Math.max(0, staleness - (row?.age ?? 0))
  })
}

async function eraseOf(prisma: Prisma, userId: string): Promise<Erased> {
  const inBatches = (
    page: (after: string) => Promise<Id[]>,
    erase: (client: Client, ids: string[]) => Promise<number>,
  ) => eraseInBatches(page, (ids) => prisma.$transaction((transaction) => erase(transaction, ids)))
  const publications = await inBatches(
    (after) => prisma.$queryRaw`
      select id from publications where author_id = ${userId}::uuid and id > ${after}::uuid order by id limit ${pageSize}`,
    erasePublications,
  )
  const likes = await inBatches(
    (after) => prisma.$queryRaw`
      select publication_id as id from likes
      where user_id = ${userId}::uuid and publication_id > ${after}::uuid order by 1 limit ${pageSize}`,
    (transaction, ids) => eraseLikes(transaction, userId, ids),
  )
  const follows = await inBatches(
    (after) => prisma.$queryRaw`
      select id from (
        select followee_id as id from follows where follower_id = ${userId}::uuid
        union select follower_id from follows where followee_id = ${userId}::uuid) others
      where id > ${after}::uuid order by id limit ${pageSize}`,
    (transaction, ids) => eraseFollows(transaction, userId, ids),
  )
  await prisma.application.deleteMany({ where: { ownerId: userId } })
  return { publications, likes, follows }
}

/** Erases all rows, page by page and batch by batch, in the order of the ids, and returns the number of what was erased. */
async function eraseInBatches(
  page: (after: string) => Promise<Id[]>,
  erase: (ids: string[]) => Promise<number>,
): Promise<number> {
  let count = 0
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const ids: string[] = (await page(after)).map(({ id }) => id)
    for (let start = 0; start < ids.length; start += batchSize)
      count += await erase(ids.slice(start, start + batchSize))
    after = ids.length < pageSize ? undefined : ids.at(-1)
  }
  return count
}

/** Tombstones of earlier deletions lose their author too, but do not count. */
async function erasePublications(transaction: Client, ids: string[]): Promise<number> {
  const live = (await lockWithParents(transaction, ids)).map(({ id }) => id)
  await eraseLocked(transaction, live)
  await transaction.$executeRaw`
    update publications set author_id = null, application_id = null where id = any(${ids}::uuid[])`
  return live.length
}

async function eraseLikes(transaction: Client, userId: string, ids: string[]): Promise<number> {
  // The order of all writes that lock publications.
  await transaction.$queryRaw`select id from publications where id = any(${ids}::uuid[]) order by id for no key update`
  const [row] = await transaction.$queryRaw<Count[]>`
    with gone as (
      delete from likes where user_id = ${userId}::uuid and publication_id = any(${ids}::uuid[]) returning publication_id),
    counted as (
      update publications set like_count = like_count - 1 from gone where id = gone.publication_id and deleted_at is null)
    select count(*)::int as count from gone`
  return row?.count ?? 0
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

/** Accounts that follow the account or that it follows, no more than one transaction should change. */
async function partnersOf(client: Client, userId: string): Promise<string[]> {
  const rows = await client.$queryRaw<Id[]>`
    select followee_id as id from follows where follower_id = ${userId}::uuid
    union select follower_id from follows where followee_id = ${userId}::uuid limit ${batchSize}`
  return rows.map(({ id }) => id)
}

/**
 * Locks an account so that nothing that would refer to it can be inserted, and its partners so that their counters can be changed, in the
 * order of all writes that lock users. Partners can still be referred to, so their posts and likes do not wait.
 */
async function lockForRemoval(transaction: Client, userId: string, partners: readonly string[]): Promise<void> {
  const lockPartners = (ids: string[]) =>
    transaction.$queryRaw`select id from users where id = any(${ids}::uuid[]) order by id for no key update`
  await lockPartners(partners.filter((id) => id < userId))
  await transaction.$queryRaw`select id from users where id = ${userId}::uuid for update`
  await lockPartners(partners.filter((id) => id > userId))
}

/**
 * Removes the row of the account with the follows that others have made meanwhile, and returns their number. Does nothing and returns
 * undefined if something else still refers to the account, or if somebody follows it whose row is not locked: then that account is
 * added to `partners`, so that somebody who follows it again and again cannot prevent the deletion.
 */
function removeRow(prisma: Prisma, userId: string, partners: Set<string>): Promise<number | undefined> {
  return prisma.$transaction(async (transaction) => {
    for (const id of await partnersOf(transaction, userId)) partners.add(id)
    await lockForRemoval(transaction, userId, [...partners])
    const left = await partnersOf(transaction, userId)
    const unlocked = left.filter((id) => !partners.has(id))
    for (const id of unlocked) partners.add(id)
    if (unlocked.length > 0 || left.length >= batchSize) return undefined
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

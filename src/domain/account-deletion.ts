import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { Refusal } from '../errors.ts'
import { namesOf } from './edge-names.ts'
import { type Edge, edges, edgesTo } from './edges.ts'
import { eraseLocked, lockWithParents, removeErasedEdges } from './erasure.ts'
import { staleness } from './sessions.ts'

/** How many rows are changed in one transaction, so that nobody waits long for a large account. */
const batchSize = 200

/** How often whatever was written meanwhile is erased too. */
const attempts = 10

/** How many `publications` of an account were erased, and how many edges of each table: `likes`, `follows`. */
export type Erased = Readonly<Record<string, number>>

type Database = Access['write']['prisma']
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
  let erased: Erased = {}
  for (let attempt = 0; attempt <= attempts; attempt += 1) {
    erased = sum(erased, await eraseOf(prisma, userId))
    if (attempt === 0) {
      // Until then, other processes accept tokens that they have looked up before.
      await sleep(remaining)
      continue
    }
    const last = await removeRow(prisma, userId)
    if (last === undefined) continue
    await removeErasedEdges(database)
    return sum(erased, last)
  }
  throw new Refusal('CONFLICT', 'The account is still being written to. It is suspended now: delete it again later.')
}

/** Suspends the account, revokes its tokens, and returns for how many milliseconds other processes may still accept them. */
async function suspendForDeletion(prisma: Database, userId: string): Promise<number> {
  return prisma.$transaction(async (transaction) => {
    const [row] = await transaction.$queryRaw<{ age: number }[]>`
      update users set suspended_at = coalesce(suspended_at, now()) where id = ${userId}::uuid
      returning (extract(epoch from now() - suspended_at) * 1000)::float8 as age`
    await transaction.accessToken.deleteMany({ where: { userId } })
    // A clock that was ahead may have dated the suspension.
    return Math.max(0, staleness - Math.max(0, row?.age ?? 0))
  })
}

function sum(one: Erased, other: Erased): Erased {
  const sums = Object.entries(other).map(([kind, count]) => [kind, count + (one[kind] ?? 0)])
  return { ...one, ...Object.fromEntries(sums) }
}

async function eraseOf(prisma: Database, userId: string): Promise<Erased> {
  const erased: Record<string, number> = {
    publications: await inBatches(prisma, (transaction) => erasePublications(transaction, userId)),
  }
  for (const edge of edges) {
    const erase = edge.noun === 'user' ? eraseBetweenUsers : eraseToPublications
    erased[edge.table] = await inBatches(prisma, (transaction) => erase(transaction, edge, userId))
  }
  await prisma.application.deleteMany({ where: { ownerId: userId } })
  return erased
}

/** Runs transactions until one finds nothing to erase any more, and returns the number of what was erased. */
async function inBatches(
  prisma: Database,
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

async function eraseToPublications(transaction: Client, edge: Edge, userId: string) {
  const { table, from, to, got } = namesOf(edge)
  // Locked in the order of all writes that lock publications.
  const locked = await transaction.$queryRaw<Id[]>`
    select id from publications
    where id in (select ${to} from ${table} where ${from} = ${userId}::uuid limit ${batchSize})
    order by id for no key update`
  const counted = Prisma.sql`, counted as (
    update publications set ${got} = ${got} - 1 from gone where id = gone.${to} and deleted_at is null)`
  const [row] = await transaction.$queryRaw<Count[]>`
    with gone as (
      delete from ${table}
      where ${from} = ${userId}::uuid and ${to} = any(${locked.map(({ id }) => id)}::uuid[]) returning ${to})
    ${got ? counted : Prisma.empty}
    select count(*)::int as count from gone`
  return { found: locked.length, count: row?.count ?? 0 }
}

async function eraseBetweenUsers(transaction: Client, edge: Edge, userId: string) {
  const others = await partnersOf(transaction, [edge], userId)
  return { found: others.length, count: await eraseBetween(transaction, edge, userId, others) }
}

/** Erases an edge between the account and others, in both directions. */
async function eraseBetween(transaction: Client, edge: Edge, userId: string, others: string[]): Promise<number> {
  const { table, from, to, made, got } = namesOf(edge)
  // The order of all writes that lock users.
  await transaction.$queryRaw`
    select id from users where id = any(${[userId, ...others]}::uuid[]) order by id for no key update`
  const counters = [
    ...(made ? [Prisma.sql`${made} = ${made} - changed.made`] : []),
    ...(got ? [Prisma.sql`${got} = ${got} - changed.got`] : []),
  ]
  const counted = () => Prisma.sql`,
    changed as (
      select id, sum(made)::int as made, sum(got)::int as got from (
        select ${to} as id, 0 as made, 1 as got from gone
        union all select ${from}, 1, 0 from gone) sides
      group by id),
    counted as (update users set ${Prisma.join(counters)} from changed where users.id = changed.id)`
  const [row] = await transaction.$queryRaw<Count[]>`
    with gone as (
      delete from ${table}
      where ${from} = ${userId}::uuid and ${to} = any(${others}::uuid[])
        or ${to} = ${userId}::uuid and ${from} = any(${others}::uuid[])
      returning ${from}, ${to})
    ${counters.length > 0 ? counted() : Prisma.empty}
    select count(*)::int as count from gone`
  return row?.count ?? 0
}

/** Accounts at the other ends of edges of the account, no more than one transaction should change. Those at several may be named twice. */
async function partnersOf(client: Client, among: readonly Edge[], userId: string): Promise<string[]> {
  const ends = among.map(namesOf).map(
    ({ table, from, to }) => Prisma.sql`
      select ${to} as id from ${table} where ${from} = ${userId}::uuid
      union all select ${from} from ${table} where ${to} = ${userId}::uuid`,
  )
  const rows = await client.$queryRaw<Id[]>`${Prisma.join(ends, ' union all ')} limit ${batchSize}`
  return rows.map(({ id }) => id)
}

/**
 * Removes the row of the account with the edges to it that others have made meanwhile, and returns their numbers. Does nothing and returns
 * undefined if something else still refers to the account, or if somebody has an edge to it whose row is not locked.
 */
function removeRow(prisma: Database, userId: string): Promise<Erased | undefined> {
  const between = edgesTo('user')
  const stays = edgesTo('publication')
    .map(namesOf)
    .map(({ table, from }) => Prisma.sql`exists (select from ${table} where ${from} = ${userId}::uuid)`)
  return prisma.$transaction(async (transaction) => {
    const partners = await partnersOf(transaction, between, userId)
    // In the order of all writes that lock users. Nothing that would refer to the account can be inserted then.
    await transaction.$queryRaw`
      select id from users where id = any(${[userId, ...partners]}::uuid[]) order by id for update`
    const left = await partnersOf(transaction, between, userId)
    if (left.length >= batchSize || left.some((id) => !partners.includes(id))) return undefined
    const [other] = await transaction.$queryRaw<{ remains: boolean }[]>`
      select exists (select from publications where author_id = ${userId}::uuid)
        or ${Prisma.join(stays, ' or ')}
        or exists (select from applications where owner_id = ${userId}::uuid) as remains`
    if (other?.remains) return undefined
    const erased: Record<string, number> = {}
    for (const edge of between) erased[edge.table] = await eraseBetween(transaction, edge, userId, left)
    await transaction.accessToken.deleteMany({ where: { userId } })
    await transaction.userBadge.deleteMany({ where: { userId } })
    await transaction.idempotencyKey.deleteMany({ where: { accountId: userId } })
    await transaction.user.deleteMany({ where: { id: userId } })
    return erased
  })
}

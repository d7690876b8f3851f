import { setTimeout as sleep } from 'node:timers/promises'
import { NIL as nil } from 'uuid'
import { staleness, type Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { inBatches } from '../../engine/data/in-batches.ts'
import { Refusal } from '../../engine/errors.ts'
import { endTokensOf } from '../accounts/access-tokens.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { beginAccountDeletion, removeAccountDeletion, requestAccountDeletion } from '../accounts/deletion-request.ts'
import { type Confirmation, confirmPassword } from '../accounts/password-changes.ts'
import { requireUnchanged } from '../accounts/profile.ts'
import { reasonBounds } from '../base/bounds.ts'
import { runCalls } from '../base/function-calls.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import type { Condition } from '../base/payload.ts'
import { type Relation, relations, relationsTo, requestOf } from '../base/relations.ts'
import { addNotice } from '../mail/jobs.ts'
import { logActs } from '../moderation/acts.ts'
import { closeReportsOf } from '../moderation/reports.ts'
import { deleteLocked, lockWithReferences, removeRelationsOfDeleted } from '../posts/deletion.ts'
import { lockObjects, relationCall } from '../relations/mutations.ts'

/** How many rows are changed in one transaction: what locks the same publications waits for it, about 30 ms. */
const batchSize = 20

/** How often whatever was written meanwhile is erased too. */
const attempts = 10

/** How many `publications` of an account were erased, and how many relations of each kind: `likes`, `follows`. */
export type DeletedCounts = Readonly<Record<string, number>>

type Database = Access['write']['prisma']
type Id = { readonly id: string }
type Count = (kind: string, number: number) => void
type Pair = { readonly actor: string; readonly object: string; readonly isRequest: boolean }

/** For how long a job erases at once, in milliseconds: less than its lease. */
const partTime = 20_000

/** After how many seconds a server continues a deletion whose command was interrupted. */
const afterCommand = 600

const never = new AbortController().signal

/**
 * Deletes an account for the operator, with everything that it wrote, in short transactions. Its publications stay as tombstones
 * without content, author or application. The account is hidden at once, and a server continues a deletion that is interrupted.
 * Throws `VALIDATION_FAILED` for the reason, and `CONFLICT` if the account is still being written to.
 */
export async function deleteAccount(
  database: Access,
  userId: string,
  reason: string | null = null,
): Promise<DeletedCounts> {
  refuseInvalid(textError('reason', reason, reasonBounds))
  const { prisma } = database.write
  await prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const where = { id: userId, deletion: { isNot: { erasing: true } } }
    const account = await transaction.user.findFirst({ where, select: { username: true } })
    await requestAccountDeletion(transaction, userId, { days: 0, inSeconds: afterCommand })
    // A command that repeats an interrupted one is no other act.
    const act = { action: 'USER_DELETED', subjectId: userId, userId, reason } as const
    if (account) await logActs(transaction, 'operator', [{ ...act, ...account }])
  })
  const erased: Record<string, number> = {}
  const count: Count = (kind, number) => {
    erased[kind] = (erased[kind] ?? 0) + number
  }
  for (let attempt = 0; attempt <= attempts; attempt += 1) {
    const again = await erase(database, userId, count, never)
    if (again === undefined) return erased
    await sleep(again * 1_000)
  }
  throw new Refusal('CONFLICT', 'The account is still being written to. It is hidden now, and erased later.')
}

/**
 * Deletes the viewer's account: hides it at once, revokes its tokens, and erases it after this many days. Returns when that begins.
 * Throws as `changePassword` does, and `PRECONDITION_FAILED`.
 */
export async function deleteOwnAccount(
  accounts: Accounts,
  viewer: Viewer,
  { password, code, ifUnchangedSince }: Condition & Confirmation,
  { address, days }: { readonly address: string; readonly days: number },
): Promise<Date> {
  const hold = { evenSuspended: true }
  const change = await confirmPassword(accounts, viewer, { password, code }, address, { hold })
  return change('sign in: if the account was deleted, that is refused', async (transaction) => {
    await requireUnchanged(transaction, viewer.id, ifUnchangedSince)
    const finalAt = await requestAccountDeletion(transaction, viewer.id, { days })
    if (accounts.mail) await addNotice(transaction, viewer.id, 'deletion-notice', { finalAt: finalAt.getTime() })
    return finalAt
  })
}

/** Erases a part of an account. Returns in how many seconds to continue; undefined if it is erased, or its deletion was cancelled. */
export function continueAccountDeletion(database: Access, userId: string): Promise<number | undefined> {
  return erase(database, userId, () => undefined, AbortSignal.timeout(partTime))
}

/** As `continueAccountDeletion`, until the time is up. Counts what it erases. */
async function erase(
  database: Access,
  userId: string,
  count: Count,
  timeIsUp: AbortSignal,
): Promise<number | undefined> {
  const { prisma } = database.write
  if (!(await beginAccountDeletion(database, userId))) return undefined
  const remaining = await suspend(prisma, userId)
  await eraseOf(prisma, userId, count, timeIsUp)
  // Until then, other processes accept tokens that they have looked up before.
  if (timeIsUp.aborted || remaining > 0) return remaining / 1_000
  const last = await removeRow(prisma, userId)
  if (!last) return 1
  for (const [{ name }, pairs] of last) count(name.many, numberOf(pairs))
  await removeRelationsOfDeleted(database)
  return undefined
}

/**
 * Suspends the account, since its deletion is final now, and returns for how many milliseconds other processes may still accept its
 * tokens.
 */
async function suspend(prisma: Database, userId: string): Promise<number> {
  const [row] = await prisma.$queryRaw<{ age: number }[]>`
    update users set suspended_at = least(suspended_at, account_deletions.since) from account_deletions
    where id = ${userId}::uuid and user_id = id
    returning (extract(epoch from now() - suspended_at) * 1000)::float8 as age`
  // A clock that was ahead may have dated the suspension.
  return Math.max(0, staleness - Math.max(0, row?.age ?? 0))
}

async function eraseOf(prisma: Database, userId: string, count: Count, timeIsUp: AbortSignal): Promise<void> {
  const eraseAll = (erase: Erase) => eraseInBatches(prisma, erase, timeIsUp)
  let last: string = nil
  const erasePublications = async (transaction: Client) => {
    const { ids, erased } = await erasePublicationsAfter(transaction, userId, last)
    last = ids.at(-1) ?? last
    return { found: ids.length, count: erased }
  }
  count('publications', await eraseAll(erasePublications))
  await eraseAll((transaction) => removeMentions(transaction, userId))
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from addressees where (publication_id, user_id) in (
        select publication_id, user_id from addressees where user_id = ${userId}::uuid limit ${size}::int)`,
  )
  for (const relation of relations) {
    const end = async (transaction: Client) =>
      endRelations(transaction, relation, await pairsOf(transaction, relation, userId))
    count(relation.name.many, await eraseAll(end))
  }
  const closeReports = async (transaction: Client) => {
    const closed = await closeReportsOf(transaction, userId, batchSize)
    return { found: closed, count: closed }
  }
  await eraseAll(closeReports)
  if (timeIsUp.aborted) return
  await prisma.application.deleteMany({ where: { ownerId: userId } })
}

type Erase = (transaction: Client) => Promise<{ readonly found: number; readonly count: number }>

/** Runs transactions until one finds nothing to erase any more, or the time is up, and returns the number of what was erased. */
async function eraseInBatches(prisma: Database, erase: Erase, timeIsUp: AbortSignal): Promise<number> {
  let total = 0
  while (!timeIsUp.aborted) {
    const { found, count } = await prisma.$transaction(erase)
    total += count
    if (found < batchSize) break
  }
  return total
}

/** Tombstones of earlier deletions lose their author too, but do not count. What comes before `last` is done, but still in the index. */
async function erasePublicationsAfter(transaction: Client, userId: string, last: string) {
  const rows = await transaction.$queryRaw<Id[]>`
    select id from publications where author_id = ${userId}::uuid and id > ${last}::uuid order by id limit ${batchSize}`
  const ids = rows.map(({ id }) => id)
  const live = (await lockWithReferences(transaction, ids)).map(({ id }) => id)
  await deleteLocked(transaction, live)
  await transaction.$executeRaw`
    update publications set author_id = null, application_id = null where id = any(${ids}::uuid[])`
  return { ids, erased: live.length }
}

/** Removes mentions of an account, which are text then. */
async function removeMentions(transaction: Client, userId: string) {
  const locked = await transaction.$queryRaw<Id[]>`
    select id from publications
    where id in (select publication_id from mentions where user_id = ${userId}::uuid limit ${batchSize})
    order by id for no key update`
  const publicationId = { in: locked.map(({ id }) => id) }
  const { count } = await transaction.mention.deleteMany({ where: { userId, publicationId } })
  return { found: count, count }
}

/** Relations of an account and to it, and requests, no more than one transaction should end. */
function pairsOf(client: Client, relation: Relation, userId: string): Promise<Pair[]> {
  const request = requestOf(relation)
  const selects = [relation, ...(request ? [request] : [])].flatMap(({ table, actorColumn, objectColumn }) =>
    (relation.objectType === 'user' ? [actorColumn, objectColumn] : [actorColumn]).map(
      (column) =>
        `select ${actorColumn} as actor, ${objectColumn} as object, ${table !== relation.table} as "isRequest"
        from ${table} where ${column} = $1::uuid`,
    ),
  )
  return client.$queryRawUnsafe(`${selects.join(' union all ')} limit ${batchSize}`, userId)
}

const numberOf = (pairs: readonly Pair[]) => pairs.filter(({ isRequest }) => !isRequest).length

/**
 * Ends relations and requests by their SQL function, which corrects the counters, or without it if they lead to deleted
 * publications. Returns the number of relations.
 */
async function endRelations(transaction: Client, relation: Relation, pairs: readonly Pair[]) {
  const { table, actorColumn, objectColumn, objectType } = relation
  const [actors, objects] = [pairs.map(({ actor }) => actor), pairs.map(({ object }) => object)]
  await lockObjects(transaction, relation, objectType === 'user' ? [...actors, ...objects] : objects)
  const change = { newId: null, wanted: false, cause: 'deletion' } as const
  await runCalls(
    transaction,
    pairs.map(({ actor, object }) => relationCall(relation, { actor, object, ...change })),
  )
  await transaction.$executeRaw`
    delete from ${Prisma.raw(table)}
    where (${Prisma.raw(`${actorColumn}, ${objectColumn}`)}) in (select * from unnest(${actors}::uuid[], ${objects}::uuid[]))`
  return { found: pairs.length, count: numberOf(pairs) }
}

/**
 * Removes the row of the account with the relations to it that others have made meanwhile, and returns them. Does nothing and
 * returns undefined if something else still refers to the account, or if somebody has a relation to it whose row is not locked.
 */
function removeRow(prisma: Database, userId: string) {
  return prisma.$transaction(async (transaction) => {
    const partners = new Set([userId])
    for (const relation of relationsTo('user'))
      for (const { actor, object } of await pairsOf(transaction, relation, userId)) partners.add(actor).add(object)
    // In the order of all writes that lock users. Nothing that would refer to the account can be inserted then.
    await transaction.$queryRaw`select id from users where id = any(${[...partners]}::uuid[]) order by id for update`
    const left = new Map<Relation, readonly Pair[]>()
    for (const relation of relations) left.set(relation, await pairsOf(transaction, relation, userId))
    for (const [{ objectType }, pairs] of left) {
      const areLocked = pairs.every(({ actor, object }) => partners.has(actor) && partners.has(object))
      if (objectType === 'user' ? !areLocked || pairs.length === batchSize : pairs.length > 0) return undefined
    }
    const [other] = await transaction.$queryRaw<{ remains: boolean }[]>`
      select exists (select from publications where author_id = ${userId}::uuid)
        or exists (select from applications where owner_id = ${userId}::uuid)
        or exists (select from reports where user_id = ${userId}::uuid and state = 'OPEN') as remains`
    if (other?.remains) return undefined
    for (const [relation, pairs] of left) await endRelations(transaction, relation, pairs)
    await transaction.mention.deleteMany({ where: { userId } })
    await transaction.addressee.deleteMany({ where: { userId } })
    await removeAccountDeletion(transaction, userId)
    await endTokensOf(transaction, userId)
    await transaction.userBadge.deleteMany({ where: { userId } })
    await transaction.idempotencyKey.deleteMany({ where: { accountId: userId } })
    const isPending = (await transaction.pendingAccount.count({ where: { id: userId } })) > 0
    await transaction.user.deleteMany({ where: { id: userId } })
    await transaction.erasedAccount.create({ data: { id: userId }, select: { id: true } })
    // Moderators have seen it until now, and nobody has seen one that was never approved.
    if (!isPending)
      await transaction.change.create({
        data: { kind: 'ACCOUNT_HIDDEN', actorId: userId, userId },
        select: { id: true },
      })
    return left
  })
}

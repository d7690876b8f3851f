import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/ids.ts'
import { Refusal } from '../../engine/errors.ts'
import { languageIn } from '../../engine/text/language.ts'
import { checkAccount, createAccount } from '../accounts/accounts.ts'
import { presentAccount } from '../accounts/administration.ts'
import { refuseBeingDeleted } from '../accounts/deletion-request.ts'
import { operatorAddress, Passwords } from '../accounts/passwords.ts'
import { setPrivate } from '../accounts/privacy.ts'
import { maxApplications } from '../applications/applications.ts'
import { lockAccount } from '../base/lock-account.ts'
import { relations } from '../base/relations.ts'
import { importPublications } from './import-publications.ts'
import { importRelations } from './import-relations.ts'
import type { Line, LineResult, LineType } from './lines.ts'

/** How many lines one transaction imports at most. */
const linesAtOnce = 100

/** How many lines a report lists. */
const longestReport = 100

/** How many missing uuids are remembered, to notice when one of them follows. */
const rememberedUuids = 100_000

/** A line of a file, with its number. */
export type NumberedLine = { readonly number: number; readonly line: Line }

/** An export whose lines were checked, and can be read several times. */
export type ReadableExport = {
  readonly header: Line<'header'>
  readonly profile: Line<'profile'>
  lines(): AsyncIterable<NumberedLine>
}

/** Numbers of lines by their type. */
type Counts = Partial<Record<LineType, number>>

/** How many lines of each type were imported, existed before, and were left out, and the problems by line. */
type ImportReport = {
  readonly imported: Readonly<Counts>
  readonly known: Readonly<Counts>
  readonly left: Readonly<Counts>
  readonly problems: readonly { readonly line: number; readonly problem: string }[]
}

/** The account of an import, and whether it was created. */
type ImportedAccount = { readonly uuid: string; readonly username: string; readonly isNew: boolean }

/**
 * Finds the account with this username, or creates it with that of the export, its profile, and its uuid unless that is or was
 * taken. A file cannot choose an account that exists: that takes a `username`. Throws as `checkAccount`, `createAccount` and
 * `presentAccount` do, and `CONFLICT` for an account that is being deleted or was not named.
 */
export async function accountOfImport(
  database: Access,
  { header, profile }: ReadableExport,
  named: string | undefined,
  password: string,
): Promise<ImportedAccount> {
  const { prisma } = database.write
  const { uuid } = header.account
  const username = named ?? header.account.username
  const found = await presentAccount(database, username)
  if (found) {
    if (named === undefined)
      throw new Refusal(
        'CONFLICT',
        `There is a user ${found.username}. To import into that account, name it with --username.`,
      )
    await refuseBeingDeleted(prisma, found.id)
    return { uuid: found.id, username: found.username, isNew: false }
  }
  const { email, display_name: displayName, bio, is_private: isPrivate, language, reading_languages: reading } = profile
  const where = { id: uuid }
  const counts = [
    prisma.user.count({ where }),
    prisma.publication.count({ where }),
    prisma.erasedAccount.count({ where }),
  ]
  const isTaken = (await Promise.all(counts)).some((count) => count > 0)
  const data = {
    bio,
    language: languageIn(language ?? '') ?? null,
    readingLanguages: reading?.flatMap((tag) => languageIn(tag) ?? []) ?? [],
  }
  const fill = async (transaction: Client, id: string) => {
    await transaction.user.update({ where: { id }, data, select: { id: true } })
    if (isPrivate) await setPrivate(transaction, id, true, [])
    return id
  }
  const accounts = { database, passwords: new Passwords() }
  const id = isTaken ? newId() : uuid
  const checked = await checkAccount({ username, email, password, displayName })
  await createAccount(accounts, checked, operatorAddress, fill, id)
  return { uuid: id, username, isNew: true }
}

/**
 * Imports what an account does not have yet, in short transactions, so that an import that was interrupted can be repeated. A reply may
 * come before its parent, and a quote before what it quotes: then the lines are read again.
 */
export async function importLines(
  database: Access,
  uuid: string,
  file: Pick<ReadableExport, 'lines'>,
): Promise<ImportReport> {
  const imported: Counts = {}
  const problems = new Map<number, string>()
  let known: Counts | undefined
  for (;;) {
    const met: Counts = {}
    const left: Counts = {}
    const missing = new Set<string>()
    let isAgain = false
    for await (const batch of batchesOf(file.lines())) {
      const lines = batch.map(({ line }) => line)
      const results = await database.write.prisma.$transaction((transaction) => importBatch(transaction, uuid, lines))
      for (const [place, { number, line }] of batch.entries()) {
        const { isImported, isKnown, problem, missing: awaited, isCompleted } = results[place] ?? {}
        count(isImported ? imported : isKnown ? met : left, line.type)
        if (isImported && line.type === 'publication') isAgain ||= missing.has(line.uuid)
        if (awaited && missing.size < rememberedUuids) missing.add(awaited)
        if (isCompleted || (problem === undefined && isImported)) problems.delete(number)
        if (problem !== undefined && problems.size < longestReport) problems.set(number, problem)
      }
    }
    known ??= met
    if (!isAgain)
      return { imported, known, left, problems: [...problems].map(([line, problem]) => ({ line, problem })) }
  }
}

function count(counts: Counts, type: LineType): void {
  counts[type] = (counts[type] ?? 0) + 1
}

/** The lines to import, in batches of one type. */
async function* batchesOf(lines: AsyncIterable<NumberedLine>): AsyncGenerator<readonly NumberedLine[], undefined> {
  let batch: NumberedLine[] = []
  for await (const next of lines) {
    const [first] = batch
    if (first && (first.line.type !== next.line.type || batch.length === linesAtOnce)) {
      yield batch
      batch = []
    }
    if (!['header', 'profile', 'token', 'appeal', 'end'].includes(next.line.type)) batch.push(next)
  }
  if (batch.length > 0) yield batch
}

/** Imports lines of one type. Nobody is notified. */
async function importBatch(
  transaction: Client,
  account: string,
  lines: readonly Line[],
): Promise<readonly LineResult[]> {
  const of = <Type extends LineType>(...types: readonly Type[]) =>
    lines.filter((line): line is Line<Type> => types.some((type) => type === line.type))
  const [applications, publications] = [of('application'), of('publication')]
  if (applications.length > 0) return importApplications(transaction, account, applications)
  if (publications.length > 0) return importPublications(transaction, account, publications)
  return importRelations(transaction, account, of(...relations.map(({ name }) => name.one)))
}

async function importApplications(
  transaction: Client,
  account: string,
  lines: readonly Line<'application'>[],
): Promise<readonly LineResult[]> {
  await lockAccount(transaction, account)
  const where = { id: { in: lines.map(({ uuid }) => uuid) } }
  const taken = await transaction.application.findMany({ where, select: { id: true, ownerId: true } })
  const owners = new Map(taken.map(({ id, ownerId }) => [id, ownerId]))
  let room = maxApplications - (await transaction.application.count({ where: { ownerId: account } }))
  const data: Prisma.ApplicationCreateManyInput[] = []
  const results = lines.map(({ uuid: id, name, website, created_at: createdAt }): LineResult => {
    if (owners.get(id) === account) return { isKnown: true }
    if (owners.has(id)) return { problem: `The uuid ${id} is taken.` }
    if (room === 0) return { problem: `An account has at most ${maxApplications} applications.` }
    room -= 1
    owners.set(id, account)
    data.push({ id, ownerId: account, name, website, createdAt })
    return { isImported: true }
  })
  await transaction.application.createMany({ data })
  return results
}

import { createHash } from 'node:crypto'
import type { Access, Database } from '../data/database.ts'
import { newId } from '../data/ids.ts'
import { type ListRequest, partAfter, partOf } from '../data/list-part.ts'
import { notFound, Refusal } from '../errors.ts'

/** How many documents are stored at most, and how many bytes of text all of them have together. */
const maxDocuments = 5_000
const maxDocumentBytes = 16 * 2 ** 20

/** How many of them are tools at most. A model chooses badly among more. */
const maxTools = 100

/** The hash that a document is stored under: the SHA-256 of its text in hexadecimal. */
export function documentHash(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}

/** A document to store, with the names of its operations and, to offer it to agents, that of its tool. */
export type NewDocument = {
  readonly source: string
  readonly operations: readonly string[]
  readonly tool?: string
}

/**
 * Stores documents, all or none, and returns how many of them are new. A tool replaces the one that had its name. Throws `CONFLICT` when
 * there are too many.
 */
export function addDocuments({ write: { prisma } }: Access, documents: readonly NewDocument[]): Promise<number> {
  const rows = JSON.stringify(documents.map((document) => ({ id: newId(), ...document })))
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`lock table trusted_documents in share row exclusive mode`
    const added = await transaction.$executeRaw`
      insert into trusted_documents (id, hash, operations, source)
      select id, encode(sha256(convert_to(source, 'UTF8')), 'hex'), operations, source
      from json_to_recordset(${rows}::text::json) as added (id uuid, operations text[], source text)
      on conflict (hash) do nothing`
    const tools = documents.flatMap(({ tool }) => tool ?? [])
    await transaction.trustedDocument.updateMany({ where: { tool: { in: tools } }, data: { tool: null } })
    for (const { source, tool } of documents) {
      if (tool === undefined) continue
      await transaction.trustedDocument.update({ where: { hash: documentHash(source) }, data: { tool } })
    }
    const [stored] = await transaction.$queryRaw<{ documents: number; bytes: number; tools: number }[]>`
      select count(*)::int as documents, coalesce(sum(octet_length(source)), 0)::int as bytes, count(tool)::int as tools
      from trusted_documents`
    if (stored && (stored.documents > maxDocuments || stored.bytes > maxDocumentBytes || stored.tools > maxTools)) {
      const most = `${maxDocuments} documents with ${maxDocumentBytes} bytes, ${maxTools} of them as tools,`
      throw new Refusal('CONFLICT', `At most ${most} can be stored. Remove some first.`)
    }
    return added
  })
}

/** Lists trusted documents, newest first. */
export async function listDocuments({ write: { prisma } }: Access, request: ListRequest) {
  const select = { id: true, hash: true, operations: true, tool: true, createdAt: true } as const
  return partOf(await prisma.trustedDocument.findMany({ ...partAfter(request), select }), request)
}

/** Removes documents by their hashes, all or none. Throws `NOT_FOUND`. */
export function removeDocuments({ write: { prisma } }: Access, hashes: readonly string[]): Promise<number> {
  const distinct = [...new Set(hashes)]
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.trustedDocument.deleteMany({ where: { hash: { in: distinct } } })
    if (count < distinct.length) throw notFound('document')
    return count
  })
}

/** Removes all documents and returns how many there were. */
export async function removeAllDocuments({ write: { prisma } }: Access): Promise<number> {
  return (await prisma.trustedDocument.deleteMany()).count
}

/** The texts of all documents, by their hashes. */
export async function allDocuments({ runReserved }: Database): Promise<readonly { hash: string; source: string }[]> {
  return runReserved('select hash, source from trusted_documents order by id', [])
}

/** The text of the document with this hash. */
export async function findDocument({ runReserved }: Database, hash: string): Promise<string | undefined> {
  const [row] = await runReserved<{ source: string }>('select source from trusted_documents where hash = $1', [hash])
  return row?.source
}

/** A document that is offered to agents as a tool of this name. */
export type ToolDocument = { readonly name: string; readonly hash: string; readonly source: string }

/** The documents that are tools, by their names. */
export async function toolDocuments({ runReserved }: Database): Promise<readonly ToolDocument[]> {
  return runReserved(
    'select tool as name, hash, source from trusted_documents where tool is not null order by tool',
    [],
  )
}

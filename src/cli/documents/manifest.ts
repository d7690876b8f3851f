import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { documentHash } from '../../domain/trusted-documents.ts'
import { invalid } from '../../errors.ts'

/** The largest file that is read, in bytes. */
const maxFile = 64 * 2 ** 20

/** A document as a client's tool wrote it. `id` names it in its file. */
type Listed = { readonly id: string | undefined; readonly source: string }

const apollo = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  })
  .transform(({ operations }) => operations.map(({ id, body }): Listed => ({ id, source: body })))

const map = z
  .record(z.string(), z.string())
  .transform((documents) => Object.entries(documents).map(([id, source]): Listed => ({ id, source })))

const formats = z.union([apollo, map])

/**
 * Reads the documents of a file: the manifest of Apollo, the map from hashes to documents of Relay and GraphQL Code Generator, or any
 * other file as one document. Throws `VALIDATION_FAILED`.
 */
export async function readDocuments(file: string): Promise<readonly string[]> {
  const refuse = (message: string) => invalid({ field: file, message })
  const text = await readText(file, refuse)
  const listed = /\.json$/i.test(file) ? parseManifest(text, refuse) : [{ id: undefined, source: text }]
  const wrong = listed.find(({ id, source }) => id !== undefined && idOf(id) !== documentHash(source))
  if (wrong) {
    throw refuse(
      `lists a document under ${JSON.stringify(wrong.id?.slice(0, 80))}, which is not its SHA-256: set the tool that wrote the file to SHA-256`,
    )
  }
  return listed.map(({ source }) => source)
}

const idOf = (id: string) => id.replace(/^sha256:/, '').toLowerCase()

async function readText(file: string, refuse: (message: string) => Error): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > maxFile) throw refuse(`must have at most ${maxFile} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file))
  } catch (error) {
    if (error instanceof TypeError) throw refuse('must be UTF-8')
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw refuse(`cannot be read (${String(error.code)})`)
    throw error
  }
}

function parseManifest(text: string, refuse: (message: string) => Error): readonly Listed[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw refuse('must be JSON')
  }
  const parsed = formats.safeParse(json)
  if (parsed.success) return parsed.data
  throw refuse("must be Apollo's manifest of persisted queries, or an object from hashes to documents")
}

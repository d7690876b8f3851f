import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { invalid } from '../engine/errors.ts'
import { Documents } from '../engine/execution/documents.ts'
import { documentHash, type NewDocument } from '../engine/graphql/stored-documents.ts'
import { toolNames } from '../engine/mcp/operation-tools.ts'
import { schema } from '../server/schema.ts'

const apollo = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  })
  .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const))

/** A larger file is refused without reading it to its end. */
const maxBytes = 64 * 2 ** 20

/** Names of tools are part of the names that some clients give to models, which have at most 64 characters. */
const longestToolName = 48

const map = z.record(z.string(), z.string()).transform((documents) => Object.entries(documents))

/**
 * Reads the documents of a file: the manifest of Apollo, the map from hashes to documents of Relay and GraphQL Code Generator, or any
 * other file as one document. Throws `VALIDATION_FAILED`.
 */
export async function readDocuments(file: string): Promise<readonly string[]> {
  const refuse = (message: string) => invalid({ field: file, message })
  const bytes = await buffer(createReadStream(file, { end: maxBytes })).catch(({ code }) => {
    throw refuse(`cannot be read (${code})`)
  })
  if (bytes.length > maxBytes) throw refuse(`must have at most ${maxBytes} bytes`)
  const attempt = <T>(read: () => T, otherwise: string): T => {
    try {
      return read()
    } catch {
      throw refuse(otherwise)
    }
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const text = attempt(() => decoder.decode(bytes), 'must be UTF-8')
  if (!/\.json$/i.test(file)) return [text]
  const json = attempt((): unknown => JSON.parse(text.replace(/^\ufeff/, '')), 'must be JSON')
  const listed = attempt(
    () => z.union([apollo, map]).parse(json),
    'must be a persisted query manifest of Apollo, or an object that maps hashes to documents',
  )
  return listed.map(([id, source]) => {
    if (id.replace(/^sha256:/, '').toLowerCase() === documentHash(source)) return source
    throw refuse(
      `lists a document under ${JSON.stringify(id.slice(0, 80))}, which is not its SHA-256: configure the ` +
        'tool that wrote the file to use SHA-256',
    )
  })
}

/**
 * Checks documents against the schema and its limits, and whether they can be tools. Throws `VALIDATION_FAILED` for the first
 * invalid one.
 */
export function checkDocuments(
  sources: readonly string[],
  { areTools }: { readonly areTools: boolean },
): readonly NewDocument[] {
  const documents = new Documents(schema, { introspection: true })
  const tools = new Set<string>(toolNames)
  return sources.map((source) => {
    const start = JSON.stringify(source.trim().slice(0, 60))
    const refuse = (message: string) => invalid({ field: 'document', message: `${start} is not valid: ${message}` })
    // PostgreSQL stores neither of them.
    if (source.includes('\0') || !source.isWellFormed())
      throw refuse('It contains a NUL character or a lone surrogate.')
    const loaded = documents.loadTrusted(source)
    if (typeof loaded === 'string') throw refuse(loaded)
    if (!areTools) return { source, operations: loaded }
    const [operation, ...others] = documents.known(source, { isTrusted: true, isKept: true })?.operations ?? []
    const tool = operation?.name?.value
    if (tool === undefined || others.length > 0) throw refuse('A tool needs exactly one operation, with a name.')
    if (operation?.operation === 'subscription') throw refuse('A subscription cannot be a tool.')
    if (!operation?.description?.value.trim())
      throw refuse('A tool needs a description: write it in quotes before the operation.')
    if (tool.length > longestToolName) throw refuse(`The name of a tool has at most ${longestToolName} characters.`)
    if (tools.has(tool)) throw refuse(`Another tool has the name ${tool}.`)
    tools.add(tool)
    return { source, operations: loaded, tool }
  })
}

import type { NewDocument } from '../../domain/trusted-documents.ts'
import { invalid } from '../../errors.ts'
import { Documents } from '../../operations/documents.ts'
import { schema } from '../../schema/schema.ts'

/** Checks documents against the schema and its limits. Throws `VALIDATION_FAILED` for the first invalid one. */
export function checkDocuments(sources: readonly string[]): readonly NewDocument[] {
  const documents = new Documents(schema, { introspection: true })
  return sources.map((source) => {
    const start = JSON.stringify(source.trim().slice(0, 60))
    const refuse = (message: string) => invalid({ field: 'document', message: `${start} is not valid: ${message}` })
    // PostgreSQL stores neither of them.
    if (source.includes('\0') || !source.isWellFormed()) throw refuse('It contains a NUL or a lone surrogate.')
    const loaded = documents.loadTrusted(source)
    if (typeof loaded === 'string') throw refuse(loaded)
    return { source, operations: loaded }
  })
}

import type { NewDocument } from '../../domain/trusted-documents.ts'
import { invalid } from '../../errors.ts'
import { Executor } from '../../execution/executor.ts'
import { createLog } from '../../log.ts'
import { schema } from '../../schema/schema.ts'

/** Checks documents against the schema and its limits. Throws `VALIDATION_FAILED` for the first invalid one. */
export function checkDocuments(sources: readonly string[]): readonly NewDocument[] {
  const executor = new Executor(schema, createLog('silent'))
  return sources.map((source) => {
    const start = JSON.stringify(source.trim().slice(0, 60))
    const refuse = (message: string) => invalid({ field: 'document', message: `${start} is not valid: ${message}` })
    // PostgreSQL stores neither of them.
    if (source.includes('\0') || !source.isWellFormed()) throw refuse('It contains a NUL or a lone surrogate.')
    const error = executor.compileTrusted(source)
    if (error !== undefined) throw refuse(error)
    return { source, operations: executor.operationsOf(source) }
  })
}

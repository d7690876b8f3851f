import { TypeNameMetaFieldDef } from 'graphql'
import { Selection } from './selection.ts'
import { Composer, nothing, type Statement } from './statement.ts'
import type { Call } from './variants.ts'

/** A query that one statement answers whole: its response keys, each with a column of the statement or with a text of JSON. */
export type WholeAnswer = {
  readonly statement: Statement
  readonly parts: readonly { readonly key: string; readonly column?: string; readonly json?: string }[]
}

/** What needs a resolver: a mutation, the schema itself, or a root that does not say how it is read. */
export const notWhole: WholeAnswer = { statement: nothing, parts: [] }

/** The statement that answers an operation without a resolver, or `notWhole`. */
export function answerOf(call: Call): WholeAnswer {
  const { schema, operation } = call
  const root = schema.getQueryType()
  if (!root || operation.operation !== 'query') return notWhole
  const fields = [...new Selection(call).fields(root, [operation.selectionSet])]
  const read = fields.filter(([, { field }]) => field.extensions.read)
  const isWhole = fields.every(([, { field }]) => field.extensions.read || field === TypeNameMetaFieldDef)
  if (!isWhole || read.length === 0) return notWhole
  const statement = new Composer(call, { tellsTypes: false }).fields(read.map(([, selected]) => selected))
  const columns = new Map(read.map(([key], index) => [key, `f${index}`]))
  const parts = fields.map(([key]) => {
    const column = columns.get(key)
    return column === undefined ? { key, json: JSON.stringify(root.name) } : { key, column }
  })
  return { statement, parts }
}

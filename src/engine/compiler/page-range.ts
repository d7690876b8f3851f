import type { FieldNode, GraphQLField } from 'graphql'
import { type FieldError, invalid } from '../errors.ts'
import { pageSize } from '../page-size.ts'
import { fromArguments } from './arguments.ts'
import { decodeCursor } from './cursor.ts'
import type { VariableValues } from './selection.ts'

/** How many rows `offset` skips at most. Numbered pages end at this row. */
export const maxOffset = 100_000

/** Arguments of a connection (Relay Cursor Connections Specification, section 4), with an offset for numbered pages. */
type PageArgs = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
  readonly offset?: number | null | undefined
}

/** How many rows a page has at most, how many rows precede it, and whether it is counted from the far end. */
type PageExtent = { readonly backward: boolean; readonly size: number; readonly offset: number }

/** The rows of a page: up to `size` rows strictly between two keys, counted from the far end when `backward`. */
export type PageRange = PageExtent & { readonly after: string | null; readonly before: string | null }

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether the argument is a cursor, whose value changes neither the cost nor the scopes of a field. */
    isCursor?: boolean
  }
}

function extentErrors({ first, last, offset }: PageArgs): FieldError[] {
  const errors: FieldError[] = []
  const check = (field: string, value: number | null | undefined, max: number) => {
    if (value != null && (value < 0 || value > max)) errors.push({ field, message: `must be from 0 to ${max}` })
  }
  check('first', first, pageSize.max)
  check('last', last, pageSize.max)
  check('offset', offset, maxOffset)
  if (first != null && last != null) errors.push({ field: 'last', message: 'cannot be combined with first' })
  return errors
}

function refuse([error, ...others]: readonly FieldError[]): void {
  if (error) throw invalid(error, ...others)
}

const extentOf = ({ first, last, offset }: PageArgs): PageExtent => ({
  backward: last != null,
  size: last ?? first ?? pageSize.default,
  offset: offset ?? 0,
})

/** The extent that the arguments of a connection ask for, whatever its cursors. Throws `VALIDATION_FAILED`, which names each argument out of bounds. */
export function pageExtent(args: PageArgs): PageExtent {
  refuse(extentErrors(args))
  return extentOf(args)
}

/** The range that the arguments of a connection ask for. Throws `VALIDATION_FAILED`, which names each invalid argument. */
function pageRange(args: PageArgs): PageRange {
  const errors = extentErrors(args)
  const key = (field: string, cursor: string | null | undefined) => {
    const decoded = cursor == null ? null : decodeCursor(cursor)
    if (decoded === undefined) errors.push({ field, message: 'is not a cursor of this list' })
    return decoded ?? null
  }
  const range = { ...extentOf(args), after: key('after', args.after), before: key('before', args.before) }
  refuse(errors)
  return range
}

/** Whether the document gives a cursor to a field. */
export function hasCursor({ args }: Field, { arguments: given = [] }: FieldNode): boolean {
  return given.some(({ name }) => args.some((arg) => arg.name === name.value && arg.extensions.isCursor))
}

type Field = GraphQLField<unknown, unknown>
/** Reads the range of a page in a document. Throws as `pageRange` does, and for what else selects its rows. */
export function pageRangeReader(field: Field, node: FieldNode): (variables: VariableValues) => PageRange {
  const { read } = field.extensions
  return fromArguments(field, node, (args) => {
    if (read && 'keyOf' in read) read.keyOf?.(args)
    return pageRange(args)
  })
}

import type { FieldNode, GraphQLField } from 'graphql'
import { type ArgumentError, InvalidOperation, maxOffset, pageSize } from './limits.ts'

/** How many characters a cursor has. */
export const cursorLength = 22

/** The form of a cursor: the last character has only two bits. */
export const cursorFormat = /^[A-Za-z0-9_-]{21}[AQgw]$/

/** The key of a cursor in hexadecimal, or undefined for what `cursorOf` never made. */
export function decodeCursor(cursor: string): string | undefined {
  return cursorFormat.test(cursor) ? Buffer.from(cursor, 'base64url').toString('hex') : undefined
}

/** Arguments of a connection (Relay Cursor Connections Specification, section 4), with an offset for numbered pages. */
type PageArgs = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
  readonly offset?: number | null | undefined
}

/** How many rows a page has at most, how many rows precede it, and whether it is counted from the far end. */
export type PageExtent = { readonly backward: boolean; readonly size: number; readonly offset: number }

/** The rows of a page: up to `size` rows strictly between two keys, counted from the far end when `backward`. */
export type PageRange = PageExtent & { readonly after: string | null; readonly before: string | null }

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether the argument is a cursor, whose value changes neither the cost nor the scopes of a field. */
    isCursor?: boolean
  }
}

function extentErrors({ first, last, offset }: PageArgs): ArgumentError[] {
  const errors: ArgumentError[] = []
  const check = (field: string, value: number | null | undefined, max: number) => {
    if (value != null && (value < 0 || value > max)) errors.push({ field, message: `must be from 0 to ${max}` })
  }
  check('first', first, pageSize.max)
  check('last', last, pageSize.max)
  check('offset', offset, maxOffset)
  if (first != null && last != null) errors.push({ field: 'last', message: 'cannot be combined with first' })
  return errors
}

function refuse(errors: readonly ArgumentError[]): void {
  const message = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  if (errors.length > 0) throw new InvalidOperation(message, errors)
}

const extentOf = ({ first, last, offset }: PageArgs): PageExtent => ({
  backward: last != null,
  size: last ?? first ?? pageSize.default,
  offset: offset ?? 0,
})

/** The extent that the arguments of a connection ask for, whatever its cursors. Throws `InvalidOperation` for those out of bounds. */
export function pageExtent(args: PageArgs): PageExtent {
  refuse(extentErrors(args))
  return extentOf(args)
}

/** The range that the arguments of a connection ask for. Throws `InvalidOperation`, which names each invalid argument. */
export function pageRange(args: PageArgs): PageRange {
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
export function hasCursor({ args }: GraphQLField<unknown, unknown>, { arguments: given = [] }: FieldNode): boolean {
  return given.some(({ name }) => args.some((arg) => arg.name === name.value && arg.extensions.isCursor))
}

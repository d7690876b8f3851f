import type { GraphQLResolveInfo } from 'graphql'
import { notFound } from '../errors.ts'
import { encodeCursor } from '../reads/cursor.ts'
import type { OneRead, PageRead, ValueRead } from '../reads/read.ts'
import { slotOf } from '../reads/selection.ts'
import { type PageArgs, pageRequest } from '../reads/window.ts'
import type { Context } from './context.ts'

/** A page of rows as a composed statement answers it, in the order of the list. */
type ComposedPage<Row> = { readonly rows?: readonly Row[] | undefined; readonly total?: number | undefined }

/** The rows of a page with what Relay's connections say of it. */
export type Connection<Row> = {
  readonly edges: { readonly cursor: string; readonly node: Row }[]
  readonly pageInfo: PageInfo
  readonly totalCount: number | null
}

type PageInfo = { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }

/** What is nested in a composed row. Its shape is what the field's type says: the statement was composed from this very schema. */
export function nested<T>(row: object, info: GraphQLResolveInfo): T {
  return Reflect.get(row, slotOf(info))
}

/** Options of a leaf that is read as more than the column of its name. */
export function value(read: ValueRead) {
  return { extensions: { read } }
}

/** Options of a field whose object stands in its parent's row. */
export function one<Row>(read: OneRead) {
  return {
    extensions: { read },
    resolve: (row: object, _args: object, _context: Context, info: GraphQLResolveInfo): Row => nested<Row>(row, info),
  }
}

/** Options of a payload's object. Resolves to `NOT_FOUND` when it was deleted just after the write. */
export function changed<Row>(read: OneRead, what: string) {
  return {
    extensions: { read },
    resolve: (payload: object, _args: object, _context: Context, info: GraphQLResolveInfo): Row => {
      const row = nested<Row | null>(payload, info)
      if (row === null) throw notFound(what)
      return row
    },
  }
}

/** Options of a connection whose page stands in its parent's row. */
export function page<Row extends object>(read: PageRead) {
  return {
    extensions: { read },
    resolve: (row: object, args: PageArgs, _context: Context, info: GraphQLResolveInfo): Connection<Row> =>
      connectionOf(nested<ComposedPage<Row>>(row, info), args),
  }
}

/** Options of a connection that is the root of its own statement. */
export function rootPage<Row extends object>(read: PageRead) {
  return {
    extensions: { read },
    resolve: async (_root: object, args: PageArgs, { reads }: Context, info: GraphQLResolveInfo) =>
      connectionOf(composed<ComposedPage<Row>>(await reads.field(info)), args),
  }
}

/** Options of an object that is the root of its own statement. */
export function rootOne<Row>(read: OneRead) {
  return {
    extensions: { read },
    resolve: async (_root: object, _args: object, { reads }: Context, info: GraphQLResolveInfo) =>
      composed<Row | null>(await reads.field(info)),
  }
}

/** What a composed statement answered, as the type that it was composed for. */
export function composed<T>(answer: unknown): T {
  // The one place where JSON gets its type: the statement was made from the very selection that is being resolved.
  return answer as T
}

/** The connection of a page that may hold one row more than was asked for, at the end it was walked to. */
export function connectionOf<Row extends object>(
  { rows = [], total }: ComposedPage<Row>,
  args: PageArgs,
): Connection<Row> {
  const { backward, size, after, before, offset } = pageRequest(args)
  const more = rows.length > size
  const page = !more ? rows : backward ? rows.slice(rows.length - size) : rows.slice(0, size)
  const cursorOf = (row: Row | undefined) => (row && 'page_key' in row ? encodeCursor(String(row.page_key)) : null)
  return {
    edges: page.map((node) => ({ node, cursor: cursorOf(node) ?? '' })),
    pageInfo: {
      hasNextPage: backward ? before !== null || offset > 0 : more,
      hasPreviousPage: backward ? more : after !== null || offset > 0,
      startCursor: cursorOf(page[0]),
      endCursor: cursorOf(page.at(-1)),
    },
    totalCount: total ?? null,
  }
}

import type { GraphQLResolveInfo } from 'graphql'
import { encodeCursor } from '../reads/cursor.ts'
import { operationOf } from '../reads/execution-root.ts'
import { type PageRange, pageRangeReader } from '../reads/page-range.ts'

/** The rows of a page with the facts that Relay's connections have about it (Relay Cursor Connections Specification, section 2). */
export type Connection<Row> = {
  readonly edges: { readonly cursor: string; readonly node: Row }[]
  readonly pageInfo: ResolvedPageInfo
  readonly totalCount: number | null
}

/** The `PageInfo` of a page that resolvers read. */
export class ResolvedPageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null

  constructor({ backward, after, before }: PageRange, more: boolean, cursors: readonly string[]) {
    this.hasNextPage = backward ? before !== null : more
    this.hasPreviousPage = backward ? more : after !== null
    this.startCursor = cursors[0] ?? null
    this.endCursor = cursors.at(-1) ?? null
  }
}

/** The range of the page that is being resolved. */
export function pageRangeOf(info: GraphQLResolveInfo): PageRange {
  const [node] = info.fieldNodes
  const field = info.parentType.getFields()[info.fieldName]
  if (!field || !node) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
  return pageRangeReader(field, node)(operationOf(info).variableValues)
}

/** The connection of rows in the direction of the page, with one row more than its size if there are more. */
export function connectionOf<Row extends { readonly id: string }>(
  walked: readonly Row[],
  range: PageRange,
): Connection<Row> {
  const { backward, size } = range
  const rows = walked.slice(0, size)
  const edges = (backward ? rows.reverse() : rows).map((node) => ({ node, cursor: encodeCursor(node.id) }))
  const cursors = edges.map(({ cursor }) => cursor)
  return { edges, pageInfo: new ResolvedPageInfo(range, walked.length > size, cursors), totalCount: null }
}

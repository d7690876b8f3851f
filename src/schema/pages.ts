import { encodeCursor } from '../reads/cursor.ts'
import { type PageArgs, pageRequest } from '../reads/window.ts'

/** The rows of a page with what Relay's connections say of it (Relay Cursor Connections Specification, section 2). */
export type Connection<Row> = {
  readonly edges: { readonly cursor: string; readonly node: Row }[]
  readonly pageInfo: PageFacts
  readonly totalCount: number | null
}

/** What `PageInfo` says of a page that was not composed. */
export class PageFacts {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null

  constructor(args: PageArgs, more: boolean, cursors: readonly string[]) {
    const { backward, after, before } = pageRequest(args)
    this.hasNextPage = backward ? before !== null : more
    this.hasPreviousPage = backward ? more : after !== null
    this.startCursor = cursors[0] ?? null
    this.endCursor = cursors.at(-1) ?? null
  }
}

/** The connection of rows that were walked in the direction of the page, with one more than it has if there are more. */
export function connectionOf<Row extends { readonly id: string }>(
  walked: readonly Row[],
  args: PageArgs,
): Connection<Row> {
  const { backward, size } = pageRequest(args)
  const rows = walked.slice(0, size)
  const edges = (backward ? rows.reverse() : rows).map((node) => ({ node, cursor: encodeCursor(node.id) }))
  const cursors = edges.map(({ cursor }) => cursor)
  return { edges, pageInfo: new PageFacts(args, walked.length > size, cursors), totalCount: null }
}

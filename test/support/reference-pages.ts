/** Arguments of a page. */
export type PageArgs = { first?: number; last?: number; after?: string; before?: string; offset?: number }

/** The cursor of a key. */
export const cursorOf = (key: string) => Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')

/** A page of rows in memory, found by going through all of them. */
export function connection<Row>(
  rows: readonly Row[],
  order: 'oldest first' | 'newest first',
  keyOf: (row: Row) => string,
  nodeOf: (row: Row) => object | null,
  { first, last, after, before, offset = 0 }: PageArgs,
  totalCount: number | null = null,
) {
  const comesAfter = (a: string, b: string) => (order === 'oldest first' ? a > b : a < b)
  const between = rows
    .map((row) => ({ key: keyOf(row), cursor: cursorOf(keyOf(row)), node: () => nodeOf(row) }))
    .toSorted((a, b) => (comesAfter(a.key, b.key) ? 1 : -1))
    .filter(({ key }) => after == null || comesAfter(key, keyIn(after)))
    .filter(({ key }) => before == null || comesAfter(keyIn(before), key))
  const backward = last != null
  const size = last ?? first ?? 20
  const [start, end] = backward
    ? [between.length - (offset ?? 0) - size, between.length - (offset ?? 0)]
    : [offset ?? 0, (offset ?? 0) + size]
  const edges = between.slice(Math.max(0, start), Math.max(0, end))
  const isPassedOver = (cursor: string | undefined) => cursor != null || (offset ?? 0) > 0
  return {
    edges,
    nodes: edges.map(({ node }) => node()),
    totalCount,
    pageInfo: {
      hasNextPage: backward ? isPassedOver(before) : between.length > end,
      hasPreviousPage: backward ? start > 0 : isPassedOver(after),
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

function keyIn(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

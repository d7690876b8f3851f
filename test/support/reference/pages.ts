/** Arguments of a page. */
export type PageArgs = {
  readonly [name in 'first' | 'last' | 'offset']?: number | null
} & { readonly [name in 'after' | 'before']?: string | null }

/** The cursor of a key. */
export const cursorOf = (key: string) => Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')

/** A row of a list with its key. */
export type Keyed = { readonly key: string; readonly node: unknown }

/** A page of a list in memory, found by going through all of it in its order. */
export function pageIn(
  list: readonly Keyed[],
  order: 'asc' | 'desc',
  args: PageArgs,
  totalCount: number | null = null,
) {
  const { first, last, after, before } = args
  const offset = args.offset ?? 0
  const comesAfter = (a: string, b: string) => (order === 'asc' ? a > b : a < b)
  const between = list
    .toSorted((a, b) => (comesAfter(a.key, b.key) ? 1 : -1))
    .filter(({ key }) => after == null || comesAfter(key, keyIn(after)))
    .filter(({ key }) => before == null || comesAfter(keyIn(before), key))
  const backward = last != null
  const size = last ?? first ?? 20
  const [start, end] = backward ? [between.length - offset - size, between.length - offset] : [offset, offset + size]
  const edges = between
    .slice(Math.max(0, start), Math.max(0, end))
    .map(({ key, node }) => ({ cursor: cursorOf(key), node }))
  const isPassedOver = (cursor: string | null | undefined) => cursor != null || offset > 0
  return {
    edges,
    totalCount,
    pageInfo: {
      hasNextPage: backward ? isPassedOver(before) : between.length > end,
      hasPreviousPage: backward ? start > 0 : isPassedOver(after),
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/**
 * A page of groups of rows, which are sorted from the newest: it looks at the next few, groups those that are seen, and ends with the last
 * row of its groups.
 */
export function pageOfGroups<Row extends { readonly id: string }>(
  all: readonly Row[],
  isSeen: (row: Row) => boolean,
  group: (rows: readonly Row[]) => readonly { readonly id: string; readonly events: readonly Row[] }[],
  reach: number,
  { first, after }: PageArgs,
) {
  const size = first ?? 20
  const walked = all.filter(({ id }) => after == null || id < keyIn(after)).slice(0, reach)
  const seen = walked.filter(isSeen)
  const next = group(seen)[size]
  const page = group(seen.filter(({ id }) => !next || id > next.id))
  const [cut] = walked.slice(reach - 1)
  const last = page.flatMap(({ events }) => events.map(({ id }) => id)).sort()[0]
  const end = (page.length < size && cut?.id) || last
  return {
    edges: page.map((node) => ({ cursor: cursorOf(node.id), node })),
    totalCount: null,
    pageInfo: {
      hasNextPage: next !== undefined || cut !== undefined,
      hasPreviousPage: after != null,
      startCursor: page[0] ? cursorOf(page[0].id) : null,
      endCursor: end ? cursorOf(end) : null,
    },
  }
}

/** The time in a UUID. */
export const timeOf = (id: string): Date => new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16))

/** The key in a cursor. */
export function keyIn(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

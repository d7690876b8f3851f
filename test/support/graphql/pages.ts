import { z } from 'zod'
import type { TestApp } from '../app.ts'

const page = z.strictObject({
  edges: z.array(z.strictObject({ cursor: z.string(), node: z.strictObject({ id: z.string() }) })),
  nodes: z.array(z.strictObject({ id: z.string() })),
  pageInfo: z.strictObject({
    hasNextPage: z.boolean(),
    hasPreviousPage: z.boolean(),
    startCursor: z.string().nullable(),
    endCursor: z.string().nullable(),
  }),
  totalCount: z.number().nullable(),
})
const data = z.union([z.object({ page }), z.object({ owner: z.object({ page }) }).transform(({ owner }) => owner)])

/** A page of a connection with all of its fields. */
export type Page = z.infer<typeof page>

/** A connection in a document: a root field, or a field of one. */
export type Connection = { readonly owner?: string; readonly field: string; readonly hasGlobalIds?: boolean }

/** The document that reads a page. */
export function pageDocument({ owner, field, hasGlobalIds = true }: Connection, args: string): string {
  const id = hasGlobalIds ? 'id' : 'id: uuid'
  const selected = `page: ${field}${args ? `(${args})` : ''} {
    edges { cursor node { ${id} } } nodes { ${id} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }`
  return owner === undefined ? `{ ${selected} }` : `{ owner: ${owner} { ${selected} } }`
}

/** Reads one page of a connection. Fails if the response has errors. */
export async function readPage(app: TestApp, token: string, connection: Connection, args = ''): Promise<Page> {
  const answer = await app.graphql(token, pageDocument(connection, args))
  if (answer.errors.length > 0) throw new Error(JSON.stringify(answer.errors))
  return data.parse(answer.data).page
}

/** The ids of a page. */
export const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id)

/** Reads all pages of this size forwards, or backwards, until there are no more. Returns the ids of each, in the order of the list. */
export async function walk(
  app: TestApp,
  token: string,
  connection: Connection,
  size: number,
  isForwards = true,
): Promise<string[][]> {
  const pages: string[][] = []
  const [count, from] = isForwards ? ['first', 'after'] : ['last', 'before']
  for (let at: string | null = null, isMore = true; isMore; ) {
    const page = await readPage(app, token, connection, `${count}: ${size}, ${from}: ${JSON.stringify(at)}`)
    pages.push(idsOf(page))
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo
    at = isForwards ? endCursor : startCursor
    isMore = isForwards ? hasNextPage : hasPreviousPage
  }
  return isForwards ? pages : pages.reverse()
}

import type { Database } from '../../../src/engine/data/database.ts'
import type { LivePublication } from '../../../src/engine/data/generated/prisma/client.ts'
import { cursorOf, type Keyed, type PageArgs, pageIn } from './pages.ts'
import type { Rows } from './rows.ts'

export type Viewer = Readonly<{ id: string; tokenId: string; readsEmail: boolean; isModerator: boolean }>
export type Context = {
  readonly database: Database
  /** Without the publications that are hidden from the viewer. */
  readonly rows: Rows
  readonly viewer: Viewer
  readonly hidden: ReadonlySet<string>
}
type UserBy = { readonly uuid?: string | null; readonly username?: string | null }
export type Args = PageArgs & {
  readonly uuid: string
  readonly uuids: readonly string[]
  readonly by: UserBy & readonly UserBy[]
  readonly id: string
  readonly ids: readonly string[]
  readonly name: string
  readonly text: string
  readonly author?: UserBy | null
  readonly languages?: readonly string[] | null
  readonly includeUnknownLanguage?: boolean
}
/** As methods, resolvers of any row can be kept together. */
export type Resolvers<Row> = Readonly<Record<string, { of(row: Row, args: Args, context: Context): unknown }['of']>>

export const byId = <Row extends { id: string }>(rows: readonly Row[], id: string | null | undefined) =>
  rows.find((row) => row.id === id) ?? null
export const keyed = <Row extends { id: string }>(rows: readonly Row[], nodeOf: (row: Row) => unknown = (row) => row) =>
  rows.map((row): Keyed => ({ key: row.id, node: nodeOf(row) }))

/** The name of the type of a row. */
export const typeOf = (row: object) => {
  if ('maxUses' in row) return 'Invitation'
  if ('action' in row) return 'ModerationAct'
  if ('answer' in row) return 'Appeal'
  if ('reason' in row) return 'Report'
  if ('publicationCount' in row) return 'Hashtag'
  if ('content' in row) return Reflect.get(row, 'parentId') === null ? 'Post' : 'Reply'
  if ('applicationId' in row && !('hash' in row)) return 'Authorization'
  return 'username' in row ? 'User' : 'hash' in row ? 'AccessToken' : 'Application'
}

export const findUser = ({ uuid, username }: UserBy, { rows: { users } }: Context) =>
  uuid ? byId(users, uuid) : (users.find((user) => user.username.toLowerCase() === username?.toLowerCase()) ?? null)

export function findNode(id: string, { rows, viewer }: Context) {
  const [type, uuid] = Buffer.from(id, 'base64').toString().split(':')
  const own = [...rows.tokens, ...rows.authorizations].filter(({ userId }) => userId === viewer.id)
  const all: { id: string }[] = [...rows.users, ...rows.publications, ...rows.applications, ...own]
  return all.find((row) => row.id === uuid && typeOf(row) === type) ?? null
}

/** What a publication replies to, what that replies to, and so on, the post first, with null for what is not shown. */
export function ancestorsOf(row: LivePublication, { rows }: Context): (LivePublication | null)[] {
  const line: (LivePublication | null)[] = []
  for (let parent = byId(rows.members, row.parentId); parent; parent = byId(rows.members, parent.parentId))
    line.unshift(byId(rows.publications, parent.id))
  return line.slice(-100)
}

/** A page of all publications of a thread, of which those that are not shown are places. */
export function threadOf(row: LivePublication, { rows }: Context, args: Args) {
  const members = rows.members.filter(({ rootId }) => rootId === row.rootId)
  const nodeOf = ({ id }: { id: string }) => byId(rows.publications, id)
  const { edges, ...page } = pageIn(keyed(members), 'asc', args)
  const found = edges.map(({ cursor }) => ({ cursor, node: members.find(({ id }) => cursorOf(id) === cursor) }))
  return {
    ...page,
    edges: found.flatMap(({ cursor, node }) => (node && nodeOf(node) ? [{ cursor, node: nodeOf(node) }] : [])),
    places: found.flatMap(({ node }) => (node && !nodeOf(node) ? [node] : [])),
  }
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildSchema, type ExecutionResult, execute, parse } from 'graphql'
import type { Database } from '../../src/data/database.ts'

type UserRow = {
  id: string
  username: string
  display_name: string
  email: string
  email_verified: boolean
  bio: string
  follower_count: number
  following_count: number
  joined_at: Date
}
type PublicationRow = {
  id: string
  parent_id: string | null
  author_id: string
  application_id: string | null
  content: string
  locked: boolean
  reply_count: number
  like_count: number
  created_at: Date
  edited_at: Date | null
  deleted_at: Date | null
}
type ApplicationRow = { id: string; owner_id: string; name: string; website: string | null }
type TokenRow = {
  id: string
  user_id: string
  name: string
  scopes: string[]
  created_at: Date
  expires_at: Date | null
}
type FollowRow = { id: string; follower_id: string; followee_id: string }
type PageArgs = { first?: number; last?: number; after?: string; before?: string; offset?: number }

/** Who asks the reference. */
export type ReferenceViewer = { readonly id: string; readonly readsEmail: boolean }

const root = new URL('../../schema.graphql', import.meta.url)

/** The schema as its text has it, with nothing of the code behind it. */
export const plainSchema = buildSchema(readFileSync(root, 'utf8'))

/** All rows of a database, read once and table by table. */
export type Rows = Awaited<ReturnType<typeof loadRows>>

/** Reads all rows of a database. */
export async function loadRows({ read }: Database) {
  return {
    users: await read.$queryRaw<UserRow[]>`select * from users`,
    publications: await read.$queryRaw<PublicationRow[]>`select * from publications where deleted_at is null`,
    applications: await read.$queryRaw<ApplicationRow[]>`select * from applications`,
    tokens: await read.$queryRaw<TokenRow[]>`select * from access_tokens`,
    follows: await read.$queryRaw<FollowRow[]>`select * from follows`,
    likes: await read.$queryRaw<{ publication_id: string; user_id: string }[]>`select * from likes`,
    badges: await read.$queryRaw<{ user_id: string; id: string; name: string }[]>`
      select w.user_id, b.id, b.name from user_badges w join badges b on b.id = w.badge_id`,
  }
}

/** The cursor of a key. */
export const cursorOf = (key: string) => Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')

/** The global id of an object. */
export const globalIdOf = (type: string, uuid: string) => Buffer.from(`${type}:${uuid}`).toString('base64')

function connection<Row>(
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

const moment = (date: Date | null) => date?.toISOString() ?? null

/** Resolvers over rows in memory, each a plain loop over whole tables. */
class Resolvers {
  readonly #rows: Rows
  readonly #viewer: ReferenceViewer

  constructor(rows: Rows, viewer: ReferenceViewer) {
    this.#rows = rows
    this.#viewer = viewer
  }

  viewer = () => this.#user(this.#viewer.id)
  post = ({ uuid }: { uuid: string }) => this.#publication(uuid.toLowerCase())
  reply = ({ uuid }: { uuid: string }) => {
    const found = this.#publication(uuid.toLowerCase())
    return found?.__typename === 'Reply' ? found : null
  }
  user = ({ by: { uuid, username } }: { by: { uuid?: string; username?: string } }) => {
    const named = this.#rows.users.find((it) => it.username.toLowerCase() === username?.toLowerCase())
    return this.#user(uuid?.toLowerCase() ?? named?.id)
  }
  node = ({ id }: { id: string }): object | null => {
    const [type = '', uuid = ''] = Buffer.from(id, 'base64').toString().split(':')
    if (type === 'User') return this.#user(uuid)
    if (type === 'Application') return this.#application(uuid)
    if (type === 'AccessToken') {
      const token = this.#rows.tokens.find((it) => it.id === uuid && it.user_id === this.#viewer.id)
      return token ? this.#token(token) : null
    }
    const found = this.#publication(uuid)
    return found?.__typename === type ? found : null
  }
  nodes = ({ ids }: { ids: string[] }) => ids.map((id) => this.node({ id }))
  homeTimeline = (args: PageArgs) => {
    const { id } = this.#viewer
    const followees = this.#rows.follows.filter((it) => it.follower_id === id).map((it) => it.followee_id)
    return this.#posts((author) => author === id || followees.includes(author), args)
  }
  publicTimeline = (args: PageArgs) => this.#posts(() => true, args)
  accessTokens = (args: PageArgs) => {
    const own = this.#rows.tokens.filter((it) => it.user_id === this.#viewer.id)
    return connection(
      own,
      'newest first',
      ({ id }) => id,
      (it) => this.#token(it),
      args,
    )
  }
  applications = (args: PageArgs) => {
    const own = this.#rows.applications.filter((it) => it.owner_id === this.#viewer.id)
    return connection(
      own,
      'newest first',
      ({ id }) => id,
      ({ id }) => this.#application(id),
      args,
    )
  }

  #posts(isBy: (author: string) => boolean, args: PageArgs) {
    const posts = this.#rows.publications.filter((it) => it.parent_id === null && isBy(it.author_id))
    return connection(
      posts,
      'newest first',
      ({ id }) => id,
      ({ id }) => this.#publication(id),
      args,
    )
  }

  #publication(uuid: string) {
    const row = this.#rows.publications.find((it) => it.id === uuid)
    if (!row) return null
    const { content, locked, parent_id } = row
    const __typename = parent_id === null ? 'Post' : 'Reply'
    const replies = this.#rows.publications.filter((it) => it.parent_id === uuid)
    return {
      __typename,
      id: globalIdOf(__typename, uuid),
      uuid,
      content,
      locked,
      author: () => this.#user(row.author_id),
      from: () => this.#application(row.application_id),
      replyCount: row.reply_count,
      likeCount: row.like_count,
      viewerHasLiked: this.#rows.likes.some((it) => it.publication_id === uuid && it.user_id === this.#viewer.id),
      createdAt: moment(row.created_at),
      editedAt: moment(row.edited_at),
      parent: (): object | null => this.#publication(parent_id ?? ''),
      parentUuid: parent_id,
      replies: (args: PageArgs): object =>
        connection(
          replies,
          'oldest first',
          ({ id }) => id,
          ({ id }) => this.#publication(id),
          args,
          row.reply_count,
        ),
    }
  }

  #user(uuid: string | undefined) {
    const row = this.#rows.users.find((it) => it.id === uuid)
    if (!row) return null
    const { id, username, bio } = row
    const { follows } = this.#rows
    const isOwn = id === this.#viewer.id && this.#viewer.readsEmail
    const hash = createHash('sha256').update(row.email.trim().toLowerCase()).digest('hex')
    const badges = this.#rows.badges.filter((it) => it.user_id === id)
    const list = (pairs: FollowRow[], other: (pair: FollowRow) => string, total: number) => (args: PageArgs) =>
      connection(
        pairs,
        'newest first',
        (pair) => pair.id,
        (pair): object | null => this.#user(other(pair)),
        args,
        total,
      )
    return {
      __typename: 'User',
      id: globalIdOf('User', id),
      uuid: id,
      username,
      displayName: row.display_name,
      avatar: `https://www.gravatar.com/avatar/${hash}?d=identicon`,
      email: isOwn ? row.email : null,
      emailVerified: isOwn ? row.email_verified : null,
      badges: badges.toSorted((a, b) => (a.name > b.name ? 1 : -1)),
      bio,
      followerCount: row.follower_count,
      followingCount: row.following_count,
      viewerIsFollowing: follows.some((it) => it.follower_id === this.#viewer.id && it.followee_id === id),
      joinedAt: moment(row.joined_at),
      posts: (args: PageArgs): object => this.#posts((author) => author === id, args),
      following: list(
        follows.filter((it) => it.follower_id === id),
        (pair) => pair.followee_id,
        row.following_count,
      ),
      followers: list(
        follows.filter((it) => it.followee_id === id),
        (pair) => pair.follower_id,
        row.follower_count,
      ),
    }
  }

  #application(uuid: string | null) {
    const row = this.#rows.applications.find((it) => it.id === uuid)
    if (!row) return null
    const { id, name, website } = row
    return { __typename: 'Application', id: globalIdOf('Application', id), uuid: id, name, website }
  }

  #token({ id, name, scopes, created_at, expires_at }: TokenRow) {
    return {
      __typename: 'AccessToken',
      id: globalIdOf('AccessToken', id),
      name,
      scopes: scopes.map((scope) => scope.toUpperCase().replaceAll('.', '_')),
      createdAt: moment(created_at),
      expiresAt: moment(expires_at),
    }
  }
}

/** What a query answers, found in the plainest way: graphql-js over rows in memory. */
export async function answerPlainly(
  rows: Rows,
  viewer: ReferenceViewer,
  source: string,
  variableValues: Record<string, unknown>,
): Promise<ExecutionResult> {
  const rootValue = new Resolvers(rows, viewer)
  return execute({ schema: plainSchema, document: parse(source), rootValue, variableValues })
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildSchema, type ExecutionResult, execute, parse } from 'graphql'
import { connection, type PageArgs } from './reference-pages.ts'
import type { FollowRow, Rows, TokenRow } from './reference-rows.ts'

type UserBy = { uuid?: string; username?: string }

/** The viewer of a reference query. */
export type ReferenceViewer = { readonly id: string; readonly readsEmail: boolean }

const root = new URL('../../schema.graphql', import.meta.url)

/** The schema built from its text, without the code of the service. */
export const plainSchema = buildSchema(readFileSync(root, 'utf8'))

/** The global id of an object. */
export const globalIdOf = (type: string, uuid: string) => Buffer.from(`${type}:${uuid}`).toString('base64')

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
  publications = ({ uuids }: { uuids: string[] }) => uuids.map((uuid) => this.post({ uuid }))
  users = ({ by }: { by: UserBy[] }) => by.map((each) => this.user({ by: each }))
  user = ({ by: { uuid, username } }: { by: UserBy }) => {
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
    const likes = this.#rows.likes.filter((it) => it.publication_id === uuid)
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
      viewerHasLiked: likes.some((it) => it.user_id === this.#viewer.id),
      createdAt: moment(row.created_at),
      editedAt: moment(row.edited_at),
      version: String(row.version),
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
      likers: (args: PageArgs): object =>
        connection(
          likes,
          'newest first',
          (like) => like.id,
          (like) => this.#user(like.user_id),
          args,
          row.like_count,
        ),
    }
  }

  #user(uuid: string | undefined) {
    const row = this.#rows.users.find((it) => it.id === uuid)
    if (!row) return null
    const { id, username, bio } = row
    const { follows } = this.#rows
    const isBuiltIn = id === this.#viewer.id && this.#viewer.readsEmail
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
      email: isBuiltIn ? row.email : null,
      emailVerified: isBuiltIn ? row.email_verified : null,
      badges: badges.toSorted((a, b) => (a.name > b.name ? 1 : -1)),
      bio,
      followerCount: row.follower_count,
      followingCount: row.following_count,
      viewerIsFollowing: follows.some((it) => it.follower_id === this.#viewer.id && it.followee_id === id),
      followsViewer: follows.some((it) => it.follower_id === id && it.followee_id === this.#viewer.id),
      joinedAt: moment(row.joined_at),
      version: String(row.version),
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
      likes: (args: PageArgs): object | null =>
        id !== this.#viewer.id
          ? null
          : connection(
              this.#rows.likes.filter((it) => it.user_id === id),
              'newest first',
              (like) => like.id,
              (like) => this.#publication(like.publication_id),
              args,
            ),
    }
  }

  #application(uuid: string | null) {
    const row = this.#rows.applications.find((it) => it.id === uuid)
    if (!row) return null
    const { id, name, website, version } = row
    return {
      __typename: 'Application',
      id: globalIdOf('Application', id),
      uuid: id,
      name,
      website,
      version: String(version),
    }
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

/** The result of a query in the simplest way: GraphQL.js over rows in memory. */
export async function answerPlainly(
  rows: Rows,
  viewer: ReferenceViewer,
  source: string,
  variableValues: Record<string, unknown>,
): Promise<ExecutionResult> {
  const rootValue = new Resolvers(rows, viewer)
  return execute({ schema: plainSchema, document: parse(source), rootValue, variableValues })
}

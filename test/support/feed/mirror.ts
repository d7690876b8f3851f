import fc from 'fast-check'
import { z } from 'zod'
import { decodeCursor } from '../../../src/engine/compiler/cursor.ts'
import { ask, type Member, type World } from './world.ts'

/** The sources of a filter that the mirror of a viewer follows. */
export type Sources = {
  readonly home?: true
  readonly public?: true
  readonly notifications?: true
  readonly publications?: readonly string[]
  readonly repliesTo?: readonly string[]
  readonly threads?: readonly string[]
  readonly users?: readonly string[]
  readonly hashtags?: readonly string[]
}

const publication = z.object({
  __typename: z.string(),
  uuid: z.uuid(),
  content: z.string(),
  locked: z.boolean(),
  likeCount: z.number(),
  viewerHasLiked: z.boolean(),
  author: z.object({ uuid: z.uuid(), viewerIsMuting: z.boolean() }),
  parentUuid: z.uuid().optional(),
})
type Publication = z.infer<typeof publication>

const account = z.object({
  uuid: z.uuid(),
  followerCount: z.number(),
  followingCount: z.number(),
  viewerIsFollowing: z.boolean(),
  followsViewer: z.boolean(),
  displayName: z.string(),
  username: z.string(),
})
type Account = z.infer<typeof account>

const publications = z.object({ nodes: z.array(publication) })
const written = z.object({ posts: publications, replies: publications })
const accounts = z.object({ nodes: z.array(account) })
const snapshot = z.object({
  changeCursor: z.string(),
  homeTimeline: publications.optional(),
  publicTimeline: publications.optional(),
  viewer: account.extend({ replies: publications, following: accounts, followers: accounts }).nullish(),
  followed: z.object({ following: z.object({ nodes: z.array(z.object({ replies: publications })) }) }).nullish(),
  publications: z.array(publication.nullable()).optional(),
  users: z.array(account.extend(written.shape).nullable()).optional(),
  a: z.object({ publications }).nullish(),
})
const notifications = z.object({ viewer: z.unknown() })

const change = z.object({
  cursor: z.string(),
  kind: z.string(),
  uuid: z.uuid(),
  actorUuid: z.uuid(),
  changesNotifications: z.boolean(),
  publication: publication.nullable(),
  actor: account.nullable(),
  user: account.nullable(),
})
type Change = z.infer<typeof change>
const page = z.object({
  changes: z.object({
    nodes: z.array(change),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  }),
})

const fragments = `
  fragment P on Publication { __typename uuid content locked likeCount viewerHasLiked author { uuid viewerIsMuting } ... on Reply { parentUuid } }
  fragment A on User { uuid followerCount followingCount viewerIsFollowing followsViewer displayName username }`
const list = '(first: 100) { nodes { ...P } }'
const snapshotQuery = `query ($home: Boolean!, $public: Boolean!, $named: Boolean!, $uuids: [UUID!]!, $byUsers: Boolean!,
    $users: [UserBy!]!, $tagged: Boolean!) {
  changeCursor
  homeTimeline${list.replace(' {', ' @include(if: $home) {')}
  publicTimeline${list.replace(' {', ' @include(if: $public) {')}
  viewer @include(if: $home) { ...A replies${list} following(first: 50) { nodes { ...A } } followers(first: 50) { nodes { ...A } } }
  followed: viewer @include(if: $home) { following(first: 6) { nodes { replies(first: 50) { nodes { ...P } } } } }
  publications(uuids: $uuids) @include(if: $named) { ...P }
  users(by: $users) @include(if: $byUsers) { ...A posts${list} replies${list} }
  a: hashtag(name: "a") @include(if: $tagged) { publications${list} }
} ${fragments}`
const notificationsQuery = `{ viewer { unreadNotificationCount notifications(first: 100) {
  nodes { kind count isUnread reason publication { uuid } actors { uuid } } } } }`
const changesQuery = `query ($of: ChangeFilter!, $after: String!, $first: Int!) { changes(of: $of, after: $after, first: $first) {
  nodes { cursor kind uuid actorUuid changesNotifications publication { ...P } actor { ...A } user { ...A } }
  pageInfo { endCursor hasNextPage } } } ${fragments}`

/** What is kept of each publication, by its source. Others do not report likes, nor do any those of accounts that a block hides. */
const kept = {
  counted: ({ content, locked, likeCount, viewerHasLiked }: Publication) => ({
    content,
    locked,
    likeCount,
    viewerHasLiked,
  }),
  liked: ({ content, locked, viewerHasLiked }: Publication) => ({ content, locked, viewerHasLiked }),
  others: ({ content, locked }: Publication) => ({ content, locked }),
} as const

/** The state of a viewer's network, by source and then by uuid. */
type State = {
  readonly publications: Record<string, Map<string, Publication>>
  readonly users: Map<string, Account>
  readonly following: Map<string, Account>
  readonly followers: Map<string, Account>
  own?: Account | undefined
}

const emptyState = (): State => ({ publications: {}, users: new Map(), following: new Map(), followers: new Map() })

const byUuid = <T extends { readonly uuid: string }>(items: readonly (T | null)[] = []) =>
  new Map(items.flatMap((item) => (item ? [[item.uuid, item] as const] : [])))

/** Whether a change asks clients to read again. */
const isTurn = ({ kind, actorUuid }: Change, { id }: Member) =>
  /BLOCKED|ACCOUNT/.test(kind) || (kind.endsWith('FOLLOWED') && actorUuid === id)

/** What a viewer sees through some sources: read once, and then kept by the feed alone, but for what it says to read again. */
export class Mirror {
  readonly viewer: Member
  readonly of: Sources
  readonly #world: World
  readonly #origin: () => string
  /** Whether it has to be read (again). */
  isDue = true
  #state = emptyState()
  #notifications: unknown
  #after = ''
  readonly #seen = new Set<string>()
  readonly #once = new Set<string>()
  /** How many changes it took. */
  applied = 0

  constructor(world: World, viewer: Member, of: Sources, origin: () => string) {
    this.viewer = viewer
    this.of = of
    this.#world = world
    this.#origin = origin
  }

  /** Whether it has read all changes that there were; not while no server answers, or the viewer is suspended. */
  isCurrent = false

  /** Reads the pages of changes that there are, as a client does. */
  async catchUp(pageSize: number): Promise<void> {
    this.isCurrent = await this.#readOn(pageSize)
  }

  async #readOn(pageSize: number): Promise<boolean> {
    for (let isMore = true; isMore; ) {
      if (this.isDue) {
        // Before it reads, because it may become due again meanwhile.
        this.isDue = false
        const read = await this.#read()
        if (!read || !(await this.#readNotifications())) {
          this.isDue = true
          return false
        }
        this.#state = read.state
        this.#after = read.cursor
      }
      const data = await this.#ask(changesQuery, { of: this.of, after: this.#after, first: pageSize })
      if (!data) return false
      const { nodes, pageInfo } = page.parse(data).changes
      let isTold = false
      for (const each of nodes) {
        this.#check(each)
        this.#apply(each)
        isTold ||= each.changesNotifications
        this.applied += 1
      }
      this.#after = pageInfo.endCursor
      if (isTold && !this.isDue && !(await this.#readNotifications())) {
        this.isDue = true
        return false
      }
      isMore = pageInfo.hasNextPage || this.isDue
    }
    return true
  }

  /** How the mirror differs from what the queries say; nothing if it is not current, or no server answers. */
  async differences(): Promise<readonly string[]> {
    if (!this.isCurrent) return []
    const [mine, isRead] = [this.#notifications, await this.#read()]
    if (!isRead || !(await this.#readNotifications())) return []
    const [is, should] = [this.#linesOf(this.#state), this.#linesOf(isRead.state)]
    const [told, shouldBeTold] = [mine, this.#notifications].map((it) => JSON.stringify(it))
    return [
      ...[...is].filter((line) => !should.has(line)).map((line) => `only in the mirror: ${line}`),
      ...[...should].filter((line) => !is.has(line)).map((line) => `missing in the mirror: ${line}`),
      ...(told === shouldBeTold ? [] : [`notifications: ${told} instead of ${shouldBeTold}`]),
    ]
  }

  #linesOf({ publications, users, following, followers, own }: State): Set<string> {
    const lines = Object.entries(publications).flatMap(([source, found]) =>
      [...found.values()].map((it) => `${source} ${it.uuid} ${JSON.stringify(this.#keptOf(source)(it))}`),
    )
    const isCounted = !this.#world.blocked.has(this.viewer.id)
    const counts = ({ uuid, followerCount, followingCount, viewerIsFollowing }: Account) =>
      `users ${uuid} ${JSON.stringify({ ...(isCounted && { followerCount, followingCount }), viewerIsFollowing })}`
    const { username, displayName, followerCount, followingCount } = own ?? {}
    return new Set([
      ...lines,
      ...[...users.values()].map(counts),
      ...[...following.keys()].map((uuid) => `following ${uuid}`),
      ...[...followers.keys()].map((uuid) => `followers ${uuid}`),
      ...(own ? [`own ${JSON.stringify({ username, displayName, followerCount, followingCount })}`] : []),
    ])
  }

  #keptOf(source: string): (it: Publication) => object {
    if (['public', 'users', 'hashtags'].includes(source)) return kept.others
    return source === 'home' || this.#world.blocked.has(this.viewer.id) ? kept.liked : kept.counted
  }

  #check({ kind, cursor, uuid, actorUuid, publication: shown, user }: Change): void {
    const what = `${kind} ${uuid} by ${actorUuid}`
    const fail = (why: string) => {
      throw new Error(`${why}: ${what}, to ${this.viewer.username} from ${JSON.stringify(this.of)}`)
    }
    if (this.#seen.has(cursor)) fail('The change came twice')
    if ((decodeCursor(cursor) ?? '') <= (decodeCursor(this.#after) ?? '')) fail('The change came too late')
    this.#seen.add(cursor)
    if (shown && shown.uuid !== uuid) fail(`The change shows ${shown.uuid}`)
    if (!shown && user && user.uuid !== uuid && kind !== 'NOTIFIED') fail(`The change shows ${user.uuid}`)
    if (kind === 'NOTIFIED' && !this.of.notifications) fail('Nobody asked for notifications')
    if (!['PUBLISHED', 'DELETED'].includes(kind)) return
    if (this.#once.has(what)) fail('It happened twice')
    this.#once.add(what)
  }

  #apply(each: Change): void {
    const { kind, uuid, actorUuid, publication: shown, actor, user } = each
    if (isTurn(each, this.viewer)) this.isDue = true
    if (kind === 'NOTIFIED') return
    if (/LIKED|PUBLISHED|EDITED|DELETED/.test(kind) && kind !== 'PROFILE_EDITED')
      for (const [source, found] of Object.entries(this.#state.publications)) {
        if (shown && this.#isOf(source, shown)) found.set(uuid, shown)
        else found.delete(uuid)
      }
    const { users, following, followers } = this.#state
    for (const each of [actor, user]) {
      if (each && this.of.users?.includes(each.uuid)) users.set(each.uuid, each)
      if (each?.uuid === this.viewer.id && this.#state.own) this.#state.own = each
    }
    if (!user && kind.endsWith('FOLLOWED')) users.delete(uuid)
    if (!actor) users.delete(actorUuid)
    if (!this.of.home) return
    if (kind.endsWith('FOLLOWED') && uuid === this.viewer.id) {
      if (actor?.followsViewer) followers.set(actorUuid, actor)
      else followers.delete(actorUuid)
    }
    if (kind.endsWith('FOLLOWED') && actorUuid === this.viewer.id && !user?.viewerIsFollowing) following.delete(uuid)
  }

  #isOf(source: string, it: Publication): boolean {
    const { of, viewer } = this
    const isIn = (uuids: readonly string[] = [], uuid = '') => uuids.includes(uuid)
    // The other sources have what the viewer mutes.
    if (['home', 'public', 'hashtags'].includes(source) && it.author.viewerIsMuting) return false
    if (source === 'home') return it.author.uuid === viewer.id || this.#state.following.has(it.author.uuid)
    if (source === 'public') return it.__typename === 'Post'
    if (source === 'publications') return isIn(of.publications, it.uuid)
    if (source === 'repliesTo') return isIn(of.repliesTo, it.parentUuid)
    if (source === 'threads') return isIn(of.threads, this.#world.written.find(({ uuid }) => uuid === it.uuid)?.root)
    if (source === 'users') return isIn(of.users, it.author.uuid)
    return /#a\b/.test(it.content)
  }

  async #read(): Promise<{ readonly state: State; readonly cursor: string } | undefined> {
    const { of } = this
    const named = of.publications || of.repliesTo || of.threads
    const uuids = this.#world.written
      .filter(({ uuid, parent = '', root }) =>
        [of.publications?.includes(uuid), of.repliesTo?.includes(parent), of.threads?.includes(root)].some(Boolean),
      )
      .map(({ uuid }) => uuid)
    const data = await this.#ask(snapshotQuery, {
      home: of.home === true,
      public: of.public === true,
      named: named !== undefined,
      uuids,
      byUsers: of.users !== undefined,
      users: of.users?.map((uuid) => ({ uuid })) ?? [],
      tagged: of.hashtags !== undefined,
    })
    if (!data) return undefined
    const found = snapshot.parse(data)
    const { users = [], a, homeTimeline, publicTimeline } = found
    const viewer = found.viewer ?? undefined
    // Suspended meanwhile.
    if (found.viewer === null) return undefined
    const lists: Partial<Record<string, readonly (Publication | null)[]>> = {
      ...(homeTimeline && {
        home: [
          ...homeTimeline.nodes,
          ...(viewer?.replies.nodes ?? []),
          ...(found.followed?.following.nodes.flatMap(({ replies }) => replies.nodes) ?? []),
        ].filter(({ author }) => !author.viewerIsMuting),
      }),
      ...(publicTimeline && { public: publicTimeline.nodes }),
      ...(of.users && { users: users.flatMap((user) => (user ? [...user.posts.nodes, ...user.replies.nodes] : [])) }),
      ...(of.hashtags && { hashtags: a?.publications.nodes ?? [] }),
    }
    const state: State = {
      publications: Object.fromEntries(Object.entries(lists).map(([source, nodes]) => [source, byUuid(nodes)])),
      users: byUuid(users),
      following: byUuid(viewer?.following.nodes),
      followers: byUuid(viewer?.followers.nodes),
      own: viewer,
    }
    for (const source of ['publications', 'repliesTo', 'threads'] as const)
      if (of[source])
        state.publications[source] = byUuid(found.publications?.filter((it) => it !== null && this.#isOf(source, it)))
    return { state, cursor: found.changeCursor }
  }

  async #readNotifications(): Promise<boolean> {
    if (!this.of.notifications) return true
    const data = await this.#ask(notificationsQuery)
    if (!data) return false
    this.#notifications = notifications.parse(data)
    return true
  }

  /** Undefined if no server answered, or the account is suspended. Throws for any other error. */
  async #ask(query: string, variables: object = {}): Promise<unknown> {
    const { code, data, message } = await ask(this.#origin(), this.viewer, query, variables)
    if (code === 'OK') return data
    if (['LOST', 'UNAVAILABLE', 'ACCOUNT_SUSPENDED', 'UNAUTHENTICATED'].includes(code)) return undefined
    throw new Error(`${code}: ${message}`)
  }
}

/** Sources of these publications and accounts, some at random. */
export function randomSources(
  seed: number,
  count: number,
  uuids: readonly string[],
  roots: readonly string[],
  users: readonly string[],
) {
  const some = (all: readonly string[]) => fc.subarray([...all], { minLength: 1, maxLength: 4 })
  const filter = fc.record(
    {
      home: fc.constant(true as const),
      public: fc.constant(true as const),
      notifications: fc.constant(true as const),
      publications: some(uuids),
      repliesTo: some(uuids),
      threads: some(roots),
      users: some(users),
      hashtags: fc.constant(['a']),
    },
    { requiredKeys: [] },
  )
  return fc.sample(
    filter.filter((of) => Object.keys(of).length > 0),
    { seed, numRuns: count },
  ) satisfies Sources[]
}

import fc from 'fast-check'
import { z } from 'zod'
import { decodeCursor } from '../../../src/engine/compiler/page-range.ts'
import {
  type Account,
  type Change,
  changesQuery,
  notifications,
  notificationsQuery,
  type Publication,
  page,
  type reposted,
  snapshot,
  snapshotQuery,
} from './queries.ts'
import { ask, type Member, type World } from './world.ts'

/** The sources of a filter that the mirror of a viewer follows. */
export type Sources = {
  readonly home?: true
  readonly public?: true
  readonly notifications?: true
  readonly publications?: readonly string[]
  readonly repliesTo?: readonly string[]
  readonly quotesOf?: readonly string[]
  readonly threads?: readonly string[]
  readonly users?: readonly string[]
  readonly hashtags?: readonly string[]
}

/**
 * What is kept of each publication, by its source. Others do not report likes and reposts, nor do any those of accounts that a block hides.
 */
const kept = {
  counted: ({ author: _, ...all }: Publication) => all,
  liked: ({ content, locked, quotedUuid, viewerHasLiked, viewerHasReposted }: Publication) => ({
    ...{ content, locked, quotedUuid, viewerHasLiked, viewerHasReposted },
  }),
  others: ({ content, locked, quotedUuid }: Publication) => ({ content, locked, quotedUuid }),
} as const

/** The state of a viewer's network, by source and then by uuid. */
type State = {
  readonly publications: Record<string, Map<string, Publication>>
  /** Who reposted what, by source. */
  readonly reposts: Record<string, Set<string>>
  readonly users: Map<string, Account>
  readonly following: Map<string, Account>
  readonly followers: Map<string, Account>
  own?: Account | undefined
}

const emptyState = (): State => ({
  publications: {},
  reposts: {},
  users: new Map(),
  following: new Map(),
  followers: new Map(),
})

const byUuid = <T extends { readonly uuid: string }>(items: readonly (T | null)[] = []) =>
  new Map(items.flatMap((item) => (item ? [[item.uuid, item] as const] : [])))

/** What the pair of an account and a publication says was reposted. */
const repostedIn = (pair: string) => pair.slice(-36)

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
    if (!this.isCurrent || !(await this.#dropUnseen())) return []
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

  /** What others do to a publication that was reposted, such as its deletion, is told of if the filter names it: clients look it up. */
  async #dropUnseen(): Promise<boolean> {
    const uuids = [...new Set(Object.values(this.#state.reposts).flatMap((pairs) => [...pairs].map(repostedIn)))]
    for (let from = 0; from < uuids.length; from += 50) {
      const some = uuids.slice(from, from + 50)
      const data = await this.#ask('query ($some: [UUID!]!) { publications(uuids: $some) { uuid } }', { some })
      if (!data) return false
      const found = z.object({ publications: z.array(z.unknown()) }).parse(data).publications
      for (const [nth, uuid] of some.entries()) if (found[nth] === null) this.#forget(uuid)
    }
    return true
  }

  #forget(uuid: string): void {
    for (const pairs of Object.values(this.#state.reposts))
      for (const pair of pairs) if (repostedIn(pair) === uuid) pairs.delete(pair)
  }

  #linesOf({ publications, reposts, users, following, followers, own }: State): Set<string> {
    const lines = Object.entries(publications).flatMap(([source, found]) =>
      [...found.values()].map((it) => `${source} ${it.uuid} ${JSON.stringify(this.#keptOf(source)(it))}`),
    )
    const isCounted = !this.#world.blocked.has(this.viewer.id)
    const counts = ({ uuid, followerCount, followingCount, viewerIsFollowing }: Account) =>
      `users ${uuid} ${JSON.stringify({ ...(isCounted && { followerCount, followingCount }), viewerIsFollowing })}`
    const { username, displayName, followerCount, followingCount } = own ?? {}
    return new Set([
      ...lines,
      ...Object.entries(reposts).flatMap(([source, pairs]) => [...pairs].map((pair) => `${source} repost ${pair}`)),
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
    if (/LIKED|REPOSTED|PUBLISHED|EDITED|DELETED/.test(kind) && kind !== 'PROFILE_EDITED')
      for (const [source, found] of Object.entries(this.#state.publications)) {
        if (shown && this.#isOf(source, shown)) found.set(uuid, shown)
        else found.delete(uuid)
      }
    if (kind === 'DELETED') this.#forget(uuid)
    if (kind.endsWith('REPOSTED'))
      for (const [source, pairs] of Object.entries(this.#state.reposts)) {
        const isMuted = source === 'home' && [shown?.author, actor].some((it) => it?.viewerIsMuting)
        // Other processes accept the token of an account for seconds after its suspension: then there is no actor.
        if (kind === 'REPOSTED' && shown && actor && !isMuted && this.#hasRepostsOf(source, actorUuid))
          pairs.add(`${actorUuid} ${uuid}`)
        else pairs.delete(`${actorUuid} ${uuid}`)
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

  #hasRepostsOf(source: string, account: string): boolean {
    if (source === 'users') return this.of.users?.includes(account) ?? false
    return account === this.viewer.id || this.#state.following.has(account)
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
    if (source === 'quotesOf') return isIn(of.quotesOf, it.quotedUuid ?? '')
    if (source === 'threads') return isIn(of.threads, this.#world.written.find(({ uuid }) => uuid === it.uuid)?.root)
    if (source === 'users') return isIn(of.users, it.author.uuid)
    return /#a\b/.test(it.content)
  }

  /** What is written and belongs to the sources that name publications. */
  #named(): string[] {
    const { publications, repliesTo, quotesOf, threads } = this.of
    return this.#world.written
      .filter(({ uuid, parent = '', quote = '', root }) =>
        [
          ...[publications?.includes(uuid), repliesTo?.includes(parent)],
          ...[quotesOf?.includes(quote), threads?.includes(root)],
        ].some(Boolean),
      )
      .map(({ uuid }) => uuid)
  }

  async #read(): Promise<{ readonly state: State; readonly cursor: string } | undefined> {
    const { of } = this
    const uuids = this.#named()
    const data = await this.#ask(snapshotQuery, {
      home: of.home === true,
      public: of.public === true,
      named: [of.publications, of.repliesTo, of.quotesOf, of.threads].some((it) => it !== undefined),
      uuids,
      byUsers: of.users !== undefined,
      users: of.users?.map((uuid) => ({ uuid })) ?? [],
      tagged: of.hashtags !== undefined,
    })
    if (!data) return undefined
    // It cannot have named what was written meanwhile, and its cursor may be after that.
    if (this.#named().length > uuids.length) return this.#read()
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
    const pairsOf = (by: string, { nodes }: z.infer<typeof reposted>, isHome: boolean) =>
      nodes.filter(({ author }) => !(isHome && author.viewerIsMuting)).map(({ uuid }) => `${by} ${uuid}`)
    const heard = found.followed?.following.nodes.filter(({ viewerIsMuting }) => !viewerIsMuting) ?? []
    const state: State = {
      reposts: {
        ...(viewer && {
          home: new Set([...heard, viewer].flatMap(({ uuid, reposts }) => pairsOf(uuid, reposts, true))),
        }),
        ...(of.users && {
          users: new Set(users.flatMap((user) => (user ? pairsOf(user.uuid, user.reposts, false) : []))),
        }),
      },
      publications: Object.fromEntries(Object.entries(lists).map(([source, nodes]) => [source, byUuid(nodes)])),
      users: byUuid(users),
      following: byUuid(viewer?.following.nodes),
      followers: byUuid(viewer?.followers.nodes),
      own: viewer,
    }
    for (const source of ['publications', 'repliesTo', 'quotesOf', 'threads'] as const)
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
      quotesOf: some(uuids),
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

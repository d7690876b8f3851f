import { z } from 'zod'
import type { Scope } from '../../../src/engine/scopes.ts'
import { commonScopes, scopes } from '../../../src/features/base/scopes.ts'
import { connectAgent } from '../http/mcp.ts'
import type { Written } from './facts.ts'
import { Leaks } from './leaks.ts'
import { aroundOf, type List, listsFor, noticesFor, type Shown } from './lists.ts'
import { type Network, tags } from './network.ts'
import type { Reader } from './rule.ts'
import { documentsOf, pathsOf, type Way } from './ways.ts'

/** Somebody who reads, with a token. */
export type TokenReader = Reader & { readonly name: string; readonly token: string; readonly mayLittle: boolean }

const item = z
  .object({
    publication: z.object({ uuid: z.string() }),
    repostedBy: z.array(z.object({ uuid: z.string() })),
    reposterCount: z.int(),
  })
  .transform(({ publication: { uuid }, repostedBy, reposterCount }) => ({
    uuid,
    by: repostedBy.map((account) => account.uuid),
    reposterCount,
  }))
const page = z.object({
  nodes: z.array(z.union([item, z.object({ uuid: z.string() })])),
  pageInfo: z.object({ hasNextPage: z.boolean() }),
})
const pages = z.object({ whole: page.nullable(), none: page.nullable() })
const found = z.object({
  publications: z.array(
    z
      .object({
        uuid: z.string(),
        replyCount: z.int(),
        quoteCount: z.int(),
        repostCount: z.int(),
        quotedUuid: z.string().nullable(),
        quoted: z.object({ uuid: z.string() }).nullable(),
        mentions: z.array(z.object({ user: z.object({ uuid: z.string() }) })),
        ancestors: z.array(z.object({ uuid: z.string() }).nullable()),
      })
      .nullable(),
  ),
})
const thread = z.object({
  post: z.object({
    thread: z.object({
      nodes: z.array(z.object({ uuid: z.string() })),
      places: z.array(z.object({ uuid: z.string() })),
    }),
  }),
})
const hashtag = z.object({ hashtag: z.object({ publicationCount: z.int() }).nullable() })
const told = z.object({
  viewer: z.object({
    unreadNotificationCount: z.int(),
    notifications: z.object({
      nodes: z.array(z.object({ kind: z.string(), publication: z.object({ uuid: z.string() }).nullable() })),
    }),
  }),
})

/** The code of an error if a token may not ask for something. */
const lacksScope = 'INSUFFICIENT_SCOPE'

/** How many publications one request looks up. */
const lookedUp = 25

/** Does something with each item, with a few at the same time. */
export async function each<T>(items: readonly T[], act: (item: T) => Promise<unknown>, atOnce = 4): Promise<void> {
  const waiting = items.values()
  const work = async () => {
    for (const item of waiting) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Compares what the service shows with the rule. */
export class Oracle {
  readonly network: Network
  readonly #leaks: Leaks
  /** How many responses it has read. */
  reads = 0
  /** What was wrong, by whom it was seen and how. */
  readonly wrong: string[] = []
  /** Which of the documents of a way does not cost too much. */
  readonly #affordable = new Map<Way, string>()

  constructor(network: Network) {
    this.network = network
    this.#leaks = new Leaks(network)
  }

  /** Who reads: everybody who can, also as a moderator, and an application with few scopes. */
  async readers(): Promise<TokenReader[]> {
    const { app, members, moderator, facts } = this.network
    const few: Scope[] = ['post.get', 'user.get']
    const reading = members.filter(({ id }) => !facts.suspended.has(id))
    const everybody = reading.map(async (person) => ({
      ...{ id: person.id, moderates: person === moderator, name: person.username },
      token: await app.token(person, person === moderator ? scopes : commonScopes),
      mayLittle: false,
    }))
    const ofApplication = reading.slice(0, 1).map(async (person) => ({
      ...{ id: person.id, moderates: false, name: `an application of ${person.username}` },
      token: await app.token(person, few),
      mayLittle: true,
    }))
    return Promise.all([...everybody, ...ofApplication])
  }

  /** Every way to read the network, and its feed after a position. */
  waysAfter(start: string): Way[] {
    return [...documentsOf(this.network, start), ...pathsOf(this.network, start)]
  }

  /** Notes a response, and what is wrong with it. */
  report(reader: TokenReader, name: string, wrong: readonly string[]): void {
    this.reads += 1
    this.wrong.push(...wrong.map((what) => `${reader.name} sees by ${name}: ${what}`))
  }

  /** Looks for what a response should not show. */
  check(reader: TokenReader, name: string, response: unknown, isOne = false): void {
    this.report(reader, name, this.#leaks.in(response, reader, isOne))
  }

  /** Runs a query; undefined if the token lacks a scope. */
  async query(reader: TokenReader, document: string, variables = {}): Promise<unknown> {
    const { data, errors } = await this.network.app.graphql(reader.token, document, variables)
    const [error] = errors
    if (error && error.extensions.code !== lacksScope) throw new Error(`${error.message}: ${document}`)
    return error ? undefined : data
  }

  /** Reads a document or a path. */
  async read(reader: TokenReader, way: Way): Promise<void> {
    if ('path' in way) {
      const response = await this.network.app.rest(reader.token, 'GET', way.path)
      const isOne = way.name === '/post' || /\{uuid\}$/.test(way.name)
      return this.check(reader, `GET ${way.path}`, await response.json(), isOne)
    }
    this.check(reader, way.name, await this.query(reader, await this.#documentOf(reader, way.documents, way)))
  }

  async #documentOf(reader: TokenReader, documents: readonly string[], way: Way): Promise<string> {
    const known = this.#affordable.get(way)
    const [document = '', ...others] = documents
    if (known ?? others.length === 0) return known ?? document
    const priced = `${document.slice(0, -1)} rateLimit(dryRun: true) { cost } }`
    const { errors } = await this.network.app.graphql(reader.token, priced)
    if (errors[0] && errors[0].extensions.code !== lacksScope) return this.#documentOf(reader, others, way)
    if (!errors[0]) this.#affordable.set(way, document)
    return document
  }

  /** Reads documents by the tool of an agent. */
  async readAsAgent(reader: TokenReader, ways: readonly Way[]): Promise<void> {
    const agent = await connectAgent(this.network.app.origin, reader.token)
    for (const way of ways) {
      if (!('documents' in way)) continue
      const operation = await this.#documentOf(reader, way.documents, way)
      this.check(reader, `an agent's ${way.name}`, Object(await agent.json('query', { operation })).data)
    }
    await agent.client.close()
  }

  /** Reads lists whole and as pages of none: they have what the rule says. */
  async compareLists(reader: TokenReader, select = (lists: readonly List[]) => lists): Promise<void> {
    await each(select(listsFor(this.network, reader)), (list) => this.#compareList(reader, list))
  }

  async #compareList(reader: TokenReader, { owner, field, args = '', shown }: List): Promise<void> {
    const fields = ['home', 'timeline'].includes(field)
      ? 'publication { uuid } repostedBy { uuid } reposterCount'
      : 'uuid'
    const selected = (size: number) =>
      `${field}(${args}first: ${size}) { nodes { ${fields} } pageInfo { hasNextPage } }`
    const both = `whole: ${selected(100)} none: ${selected(0)}`
    const data = await this.query(reader, owner ? `{ owner: ${owner} { ${both} } }` : `{ ${both} }`)
    const { whole, none } = owner ? z.object({ owner: pages }).parse(data).owner : pages.parse(data)
    const wordOf = ({ uuid, by, reposterCount }: Shown) =>
      `${this.#wordOf(uuid)}${by ? ` by ${by}, in all ${reposterCount}` : ''}`
    const [is, should] = [whole?.nodes, shown].map(
      (items: readonly Shown[] | undefined) => items?.map(wordOf).join(' ') ?? 'null',
    )
    const isMore = none?.pageInfo.hasNextPage ?? false
    const isRight = is === should && isMore === (shown ?? []).length > 0
    const wrong = `${is} instead of ${should}${isMore ? ', of which a page of none tells' : ''}`
    this.report(reader, `${owner ?? ''} ${field} ${args}`.trim(), isRight ? [] : [wrong])
  }

  #wordOf(uuid: string): string {
    return this.network.facts.written.find((it) => it.uuid === uuid)?.word ?? uuid
  }

  /** Finds every publication by its uuid, or not, as the rule says, with what it says of others. */
  async compareLookups(reader: TokenReader): Promise<void> {
    const { facts, rule } = this.network
    const fields =
      'uuid replyCount quoteCount repostCount quotedUuid quoted { uuid } mentions { user { uuid } } ancestors { uuid }'
    const source = `query ($uuids: [UUID!]!) { publications(uuids: $uuids) { ${fields} } }`
    for (let from = 0; from < facts.written.length; from += lookedUp) {
      const some = facts.written.slice(from, from + lookedUp)
      const { publications } = found.parse(await this.query(reader, source, { uuids: some.map(({ uuid }) => uuid) }))
      const wrong = some.flatMap((it, nth) => {
        const shown = publications[nth] ?? null
        if ((shown !== null) !== rule.finds(reader, it)) return [`${it.word} is ${shown ? '' : 'not '}found`]
        if (!shown) return []
        const is = [
          shown.replyCount,
          shown.quoteCount,
          shown.repostCount,
          shown.quotedUuid,
          shown.quoted?.uuid ?? null,
          [...new Set(shown.mentions.map(({ user }) => user.uuid))].toSorted(),
          shown.ancestors.map((each) => each?.uuid ?? null),
        ]
        const should = aroundOf(this.network, reader, it)
        return JSON.stringify(is) === JSON.stringify(should) ? [] : [`${it.word} with ${is} instead of ${should}`]
      })
      this.report(reader, 'publications', wrong)
    }
  }

  /** Reads threads, which have a place for everything that they do not show, and the counts of hashtags. */
  async compareThreads(reader: TokenReader): Promise<void> {
    const { facts, rule } = this.network
    const roots = new Set(facts.written.filter((it) => rule.lists(reader, it)).map(({ root }) => root))
    await each(
      [...roots].filter((root) => rule.lists(reader, root)),
      async (root) => {
        const source = `{ post(uuid: "${root.uuid}") { thread(first: 100) { nodes { uuid } places { uuid } } } }`
        const { nodes, places } = thread.parse(await this.query(reader, source)).post.thread
        const isShown = (it: Written) => rule.lists(reader, it)
        const all = facts.written.filter((it) => it.root === root)
        const should = [all.filter(isShown), all.filter((it) => !isShown(it))]
        const [is, expected] = [[nodes, places], should].map((both) =>
          JSON.stringify(both.map((some) => some.map(({ uuid }) => uuid))),
        )
        this.report(reader, `the thread of ${root.word}`, is === expected ? [] : [`${is} instead of ${expected}`])
      },
    )
    for (const tag of tags) {
      const { hashtag: known } = hashtag.parse(
        await this.query(reader, `{ hashtag(name: "${tag}") { publicationCount } }`),
      )
      const count = facts.written.filter((it) => !it.isDeleted && it.tags.includes(tag)).length
      const isRight = (known?.publicationCount ?? 0) === count && (known === null) === (count === 0)
      this.report(reader, `#${tag}`, isRight ? [] : [`${known?.publicationCount} instead of ${count}`])
    }
  }

  /** Reads the notifications of somebody, who has read none before, and their number. */
  async compareNotifications(reader: TokenReader): Promise<void> {
    const nodes = 'notifications(first: 100) { nodes { kind publication { uuid } } }'
    const { viewer } = told.parse(await this.query(reader, `{ viewer { unreadNotificationCount ${nodes} } }`))
    const all = viewer.notifications.nodes
    const shown = all.filter(({ kind }) => ['LIKE', 'MENTION', 'QUOTE', 'REPLY', 'REPOST'].includes(kind))
    const is = shown.map(
      ({ kind, publication }) => `${kind} ${publication ? this.#wordOf(publication.uuid) : 'nothing'}`,
    )
    const [mine, should] = [is, noticesFor(this.network, reader)].map((lines) => lines.toSorted().join(', '))
    const isRight = mine === should && viewer.unreadNotificationCount === all.length
    const wrong = `${mine}, counted as ${viewer.unreadNotificationCount}, instead of ${should}`
    this.report(reader, 'notifications', isRight ? [] : [wrong])
  }
}

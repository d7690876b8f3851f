import { z } from 'zod'
import { untilSettled } from '../graphql/changes.ts'
import { eventsOf, subscribe } from '../graphql/events.ts'
import { mutate } from '../graphql/mutate.ts'
import type { Written } from './facts.ts'
import type { Oracle, TokenReader } from './oracle.ts'
import { sourcesOf } from './ways.ts'

const page = z.object({
  changes: z.object({
    nodes: z.array(z.looseObject({ kind: z.string(), uuid: z.string() })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string() }),
  }),
})
const document = `query ($of: ChangeFilter!, $after: String) { changes(of: $of, after: $after, first: 100) {
  nodes { cursor kind uuid actorUuid publication { uuid content } user { uuid } } pageInfo { hasNextPage endCursor } } }`

/** All changes of these sources after a position, in which it looks for what they should not show. */
async function changesOf(oracle: Oracle, reader: TokenReader, of: object, start: string) {
  const all = []
  for (let after = start, isMore = true; isMore; ) {
    const data = await oracle.query(reader, document, { of, after })
    oracle.check(reader, `changes ${Object.keys(of)}`, data)
    const { nodes, pageInfo } = page.parse(data).changes
    all.push(...nodes)
    after = pageInfo.endCursor
    isMore = pageInfo.hasNextPage
  }
  return all
}

/** Reads the feed by each of its sources, and what some of them have published. */
export async function compareFeed(oracle: Oracle, reader: TokenReader, start: string): Promise<void> {
  const { facts, rule, app } = oracle.network
  await untilSettled(app)
  const told = facts.written.filter((it) => rule.tells(reader, it))
  const isMet = ({ author }: Written) =>
    rule.isShown(reader, author) && (reader.moderates || !facts.mutes.has(reader.id, author))
  const isPublic = (it: Written) => !it.parent && it.audience === 'EVERYBODY' && isMet(it)
  const published: Readonly<Record<string, readonly Written[]>> = {
    publications: told,
    threads: told,
    users: told,
    repliesTo: told.filter(({ parent }) => parent),
    quotesOf: told.filter(({ sentQuote }) => sentQuote),
    public: told.filter(isPublic),
  }
  for (const [source, value] of Object.entries(sourcesOf(oracle.network))) {
    const changes = await changesOf(oracle, reader, { [source]: value }, start)
    const is = changes.filter(({ kind }) => kind === 'PUBLISHED').map(({ uuid }) => uuid)
    const should = published[source]?.map(({ uuid }) => uuid)
    if (!should) continue
    const more = is.filter((uuid) => !should.includes(uuid))
    const missing = should.filter((uuid) => !is.includes(uuid))
    const words = [more, missing].map((some) =>
      facts.written.filter(({ uuid }) => some.includes(uuid)).map(({ word }) => word),
    )
    const [tooMuch = [], tooLittle = []] = words
    oracle.report(reader, `changes of ${source}`, [
      ...tooMuch.map((word) => `${word} too much`),
      ...tooLittle.map((word) => `${word} is missing`),
    ])
  }
}

/** Subscribes to the feed by all of its sources, which sends what the query returns. */
export async function compareStream(oracle: Oracle, reader: TokenReader, start: string): Promise<void> {
  const { app } = oracle.network
  const of = sourcesOf(oracle.network)
  await untilSettled(app)
  const changes = await changesOf(oracle, reader, of, start)
  await mutate(app, reader, 'updateProfile', { displayName: 'The last change' }, '__typename')
  const isEdit = ({ kind, uuid }: { kind: string; uuid: string }) => kind === 'PROFILE_EDITED' && uuid === reader.id
  const edits = changes.filter(isEdit).length
  const streamed: { kind: string; uuid: string }[] = []
  const stream = eventsOf(await subscribe(app, reader, { variables: { of, after: start } }))
  for await (const { data } of stream) {
    if (!data) continue
    if (isEdit(data.changes) && streamed.filter(isEdit).length === edits) break
    oracle.check(reader, 'the stream', data)
    streamed.push(data.changes)
  }
  const inShort = (all: typeof streamed) => all.map(({ kind, uuid }) => `${kind} ${uuid}`).join()
  const isSame = inShort(streamed) === inShort(changes)
  oracle.report(reader, 'the stream', isSame ? [] : [`${streamed.length} changes instead of ${changes.length}`])
}

/** Reads the export of an account: what it published. */
export async function compareExport(oracle: Oracle, reader: TokenReader): Promise<void> {
  const { facts, app } = oracle.network
  const text = await (await app.rest(reader.token, 'GET', '/export')).text()
  const lines = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
  for (const line of lines) oracle.check(reader, 'the export', line)
  const uuids = lines.flatMap((line) => (line.type === 'publication' ? [line.uuid] : []))
  const own = facts.written.filter(({ author, isDeleted }) => author === reader.id && !isDeleted)
  const isRight =
    uuids.toSorted().join() ===
    own
      .map(({ uuid }) => uuid)
      .toSorted()
      .join()
  oracle.report(reader, 'the export', isRight ? [] : [`${uuids.length} publications instead of ${own.length}`])
}

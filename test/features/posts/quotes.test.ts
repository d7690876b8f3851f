import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { pageOfChanges, settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { inShort } from '../../support/graphql/notifications.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let bob: Person
let dan: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  dan = await app.person('dan')
})
afterAll(() => app.close())

const quote = (person: Person, uuid: string, more: object = {}) =>
  app.graphql(
    person.token,
    'mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { uuid quotedUuid quoted { uuid } } } }',
    { input: { content: 'See', quote: uuid, ...more } },
  )

const refusal = ({ errors }: Awaited<ReturnType<typeof quote>>) =>
  [errors[0]?.extensions?.code, errors[0]?.extensions?.reason].filter(Boolean)

const read = async (person: Person, uuid: string, fields: string) =>
  (await app.graphql(person.token, `{ post(uuid: "${uuid}") { ${fields} } }`)).data

test('a quote shows what it quotes, and notifies its author', async () => {
  const post = await publish(app, dan, { content: 'First' })
  const uuid = await publish(app, bob, { content: 'See', quote: post })
  expect(await inShort(app, dan)).toEqual(['new QUOTE 1 bob'])
  const fields = 'content quotedUuid quoted { content quoteCount quotes { nodes { uuid } } }'
  const shown = { content: 'See', quotedUuid: post }
  const quoted = { content: 'First', quoteCount: 1, quotes: { nodes: [{ uuid }] } }
  expect(await read(ada, uuid, fields)).toEqual({ post: { ...shown, quoted } })
  await setRelation(app, dan, blocks, ada.id)
  expect(await read(ada, uuid, fields)).toEqual({ post: { ...shown, quoted: null } })
  expect(refusal(await quote(ada, post))).toEqual(['NOT_FOUND'])
  await setRelation(app, dan, blocks, ada.id, false)
  await app.rest(dan.token, 'DELETE', `/post/${post}`)
  expect(await read(ada, uuid, fields)).toEqual({ post: { ...shown, quoted: null } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('only what is for everybody can be quoted, and what is not quotable only by its author', async () => {
  const [closed, own] = [
    await publish(app, dan, { audience: 'FOLLOWERS' }),
    await publish(app, dan, { quotable: false }),
  ]
  expect(refusal(await quote(dan, closed))).toEqual(['FORBIDDEN', 'NOT_FOR_EVERYBODY'])
  expect(refusal(await quote(bob, closed))).toEqual(['NOT_FOUND'])
  expect(refusal(await quote(bob, own))).toEqual(['FORBIDDEN', 'NOT_QUOTABLE'])
  expect(refusal(await quote(dan, own))).toEqual([])
})

test('who is replied to and quoted is notified of the reply', async () => {
  const post = await publish(app, ada)
  await publish(app, bob, { parent: post, quote: post, content: '@ada' })
  expect(await inShort(app, ada)).toEqual(['new REPLY 1 bob'])
  await publish(app, bob, { parent: await publish(app, dan), quote: post, content: '@ada' })
  expect((await inShort(app, ada))[0]).toBe('new QUOTE 1 bob')
})

test('an author detaches a quote, which keeps its text', async () => {
  const post = await publish(app, ada, { content: 'Mine' })
  const uuid = await publish(app, bob, { content: 'Look', quote: post })
  const detach = (person: Person) =>
    app.graphql(
      person.token,
      'mutation ($input: DetachQuoteInput!) { detachQuote(input: $input) { publication { content quotedUuid editedAt } } }',
      { input: { uuid } },
    )
  expect(refusal(await detach(bob))).toEqual(['NOT_FOUND'])
  const after = await settledCursor(app, ada)
  expect((await detach(ada)).data).toEqual({
    detachQuote: { publication: { content: 'Look', quotedUuid: null, editedAt: null } },
  })
  expect(refusal(await detach(ada))).toEqual(['NOT_FOUND'])
  await untilSettled(app)
  const { nodes } = await pageOfChanges(app, ada, { of: { notifications: true }, after })
  expect(nodes).toMatchObject([{ kind: 'NOTIFIED', actor: { username: 'ada' }, publication: null }])
  expect(await read(bob, post, 'quoteCount quotes { nodes { uuid } }')).toEqual({
    post: { quoteCount: 0, quotes: { nodes: [] } },
  })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('an author detaches a quote by somebody whom they block', async () => {
  const [author, quoter] = [await app.person(), await app.person()]
  const post = await publish(app, author)
  const quotes = [await publish(app, quoter, { quote: post }), await publish(app, quoter, { quote: post })]
  await setRelation(app, author, blocks, quoter.id)
  const mutation = `mutation { detachQuote(input: { uuid: "${quotes[0]}" }) { publication { uuid } } }`
  expect(await app.graphql(author.token, mutation)).toMatchObject({
    data: { detachQuote: { publication: null } },
    errors: [],
  })
  const rest = await app.rest(author.token, 'DELETE', `/post/${quotes[1]}/quote`)
  expect([rest.status, await rest.json()]).toEqual([200, { post: null }])
  expect(await read(quoter, quotes[0] ?? '', 'quotedUuid')).toEqual({ post: { quotedUuid: null } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a quote that is sent again under its uuid is the same, and with another quote it is refused', async () => {
  const [one, two] = [await publish(app, dan), await publish(app, dan)]
  const uuid = await publish(app, bob, { quote: one })
  expect(refusal(await quote(bob, one, { uuid, content: 'Hello' }))).toEqual([])
  expect(refusal(await quote(bob, two, { uuid, content: 'Hello' }))).toEqual(['CONFLICT'])
  expect(await read(bob, one, 'quoteCount')).toEqual({ post: { quoteCount: 1 } })
})

test('nobody is notified of a quote that they do not see', async () => {
  const eve = await app.person()
  await publish(app, bob, { quote: await publish(app, eve), audience: 'FOLLOWERS' })
  expect(await inShort(app, eve)).toEqual([])
  expect(await app.database.write.prisma.publication.count({ where: { quotedAuthorId: eve.id } })).toBe(0)
})

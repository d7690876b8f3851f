import { isInputObjectType } from 'graphql'
import { v4, v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { schema } from '../../../src/server/schema.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

type Input = {
  readonly uuid?: string
  readonly content?: string
  readonly locked?: boolean
  readonly parent?: string
  readonly audience?: string
  readonly warning?: string
}

/** What came of sending: the code of the error with its fields, or the uuid. */
type Outcome = { readonly code: string; readonly fields: unknown } | { readonly uuid: string }

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const success = z.record(z.string(), z.record(z.string(), z.object({ uuid: z.string() })))
const problem = z.object({ code: z.string(), errors: z.unknown().optional() })
const sentOverRest = z.object({ uuid: z.string() })

async function sendBy(person: Person, mutation: string, selection: string, input: Input) {
  const { data, errors } = await mutate(app, person, mutation, { content: 'Hello', ...input }, `${selection} { uuid }`)
  const [error] = errors
  if (error) return { code: String(error.extensions.code), fields: error.extensions.errors }
  return { uuid: success.parse(data)[mutation]?.[selection]?.uuid ?? '' }
}

async function post({ token }: Person, path: string, input: Input): Promise<Outcome> {
  const response = await app.rest(token, 'POST', path, { content: 'Hello', ...input })
  const body: unknown = await response.json()
  if (response.status === 200) return sentOverRest.parse(body)
  const { code, errors } = problem.parse(body)
  return { code, fields: errors }
}

/** The four ways to send. Those of replies need a parent. */
const ways: Readonly<Record<string, (person: Person, input: Input) => Promise<Outcome>>> = {
  sendPost: (person, input) => sendBy(person, 'sendPost', 'publication', input),
  sendReply: (person, input) => sendBy(person, 'sendReply', 'reply', input),
  'POST /post': (person, input) => post(person, '/post', input),
  'POST /reply': (person, input) => post(person, '/reply', input),
}
const everyWay = Object.entries(ways).map(([way, send]) => ({ way, send }))
const send = (person: Person, input: Input) => sendBy(person, 'sendPost', 'publication', input)

const conflict = { code: 'CONFLICT', fields: [{ field: 'uuid', message: 'is taken' }] }
const rowsOf = (...ids: string[]) =>
  app.database.write.prisma.publication.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })
const all = () => app.database.write.prisma.publication.count()

const tooFar = 'must have a time at most 24 hours behind and 60 seconds ahead of that of the server'

describe.each(everyWay)('a uuid in $way', ({ send: sendIt }) => {
  test('is that of the publication, and sending the same again changes nothing', async () => {
    const [parent, uuid] = [await publish(app, bob), v7()]
    expect(await sendIt(ada, { uuid, parent })).toEqual({ uuid })
    const before = await rowsOf(parent, uuid)
    expect(before).toMatchObject([{ replyCount: 1 }, { authorId: ada.id, parentId: parent, content: 'Hello' }])
    const count = await all()
    for (const { send: again } of everyWay) {
      expect(await again(ada, { uuid: uuid.toUpperCase(), parent, locked: false })).toEqual({ uuid })
    }
    expect(await rowsOf(parent, uuid)).toEqual(before)
    expect(await all()).toBe(count)
  })

  test('is refused if it is taken by anything else, which stays as it is', async () => {
    const [parent, other, uuid] = [await publish(app, bob), await publish(app, bob), v7()]
    await send(ada, { uuid, parent })
    const before = await rowsOf(parent, other, uuid)
    expect(await sendIt(ada, { uuid, parent, content: 'Other' })).toEqual(conflict)
    expect(await sendIt(ada, { uuid, parent, locked: true })).toEqual(conflict)
    expect(await sendIt(ada, { uuid, parent: other })).toEqual(conflict)
    expect(await sendIt(ada, { uuid, parent: uuid })).toEqual(conflict)
    expect(await sendIt(bob, { uuid, parent })).toEqual(conflict)
    expect(await rowsOf(parent, other, uuid)).toEqual(before)
  })

  test.each([
    ['of version 4', () => v4(), 'must be a UUID of version 7'],
    ['of another variant', () => v7().replace(/-[89ab](?=...-.{12}$)/, '-c'), 'must be a UUID of version 7'],
    ['that is too old', () => v7({ msecs: Date.now() - 86_410_000 }), tooFar],
    ['of the future', () => v7({ msecs: Date.now() + 70_000 }), tooFar],
    ['that is malformed', () => 'nope', 'must be a UUID'],
  ])('%s is refused', async (_what, make, message) => {
    const parent = await publish(app, bob)
    const count = await all()
    expect(await sendIt(ada, { uuid: make(), parent })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ field: expect.stringMatching(/^(?:input\.)?uuid$/), message }],
    })
    expect(await all()).toBe(count)
  })

  test.each([-86_390_000, 59_000])('whose time differs by %i ms is accepted', async (difference) => {
    const uuid = v7({ msecs: Date.now() + difference })
    expect(await sendIt(ada, { uuid, parent: await publish(app, bob) })).toEqual({ uuid })
  })

  test('stays free if the parent is missing or locked', async () => {
    const [parent, uuid] = [await publish(app, bob, { locked: true }), v7()]
    expect(await sendIt(ada, { uuid, parent: v7() })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await sendIt(ada, { uuid, parent: uuid })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await sendIt(ada, { uuid, parent })).toMatchObject({ code: 'POST_LOCKED' })
    expect(await rowsOf(parent, uuid)).toMatchObject([{ id: parent, replyCount: 0 }])
    expect(await sendIt(bob, { uuid, parent })).toEqual({ uuid })
  })
})

test('a post that is sent again with another value of any field is a conflict', async () => {
  const others: Readonly<Record<string, unknown>> = {
    audience: 'FOLLOWERS',
    content: 'Other',
    language: 'nl',
    locked: true,
    parent: await publish(app, bob),
    quotable: false,
    quote: await publish(app, bob),
    warning: 'Spoilers',
  }
  const type = schema.getType('SendPostInput')
  const fields = isInputObjectType(type) ? Object.keys(type.getFields()) : []
  // `from` can only name the application of the token.
  expect(Object.keys(others)).toEqual(fields.filter((name) => name !== 'uuid' && name !== 'from'))
  const uuid = v7()
  expect(await send(ada, { uuid })).toEqual({ uuid })
  for (const [name, other] of Object.entries(others)) {
    expect(await send(ada, { uuid, [name]: other }), name).toEqual(conflict)
  }
})

test('a post is not a repetition of a reply with its uuid, nor a reply of a post', async () => {
  const [parent, reply, uuid] = [await publish(app, bob), v7(), v7()]
  await send(ada, { uuid: reply, parent })
  await send(ada, { uuid })
  expect(await send(ada, { uuid: reply })).toEqual(conflict)
  expect(await send(ada, { uuid, parent })).toEqual(conflict)
  expect(await rowsOf(parent)).toMatchObject([{ replyCount: 1 }])
})

test('a reply can be repeated after its parent was locked and deleted, without being counted again', async () => {
  const [parent, uuid] = [await publish(app, bob), v7()]
  await send(ada, { uuid, parent })
  expect((await app.rest(bob.token, 'PATCH', `/post/${parent}`, { locked: true })).status).toBe(200)
  expect(await send(ada, { uuid, parent })).toEqual({ uuid })
  expect((await app.rest(bob.token, 'DELETE', `/post/${parent}`)).status).toBe(200)
  const before = await rowsOf(parent, uuid)
  for (const { send: again } of everyWay) expect(await again(ada, { uuid, parent })).toEqual({ uuid })
  expect(await rowsOf(parent, uuid)).toEqual(before)
})

test('the uuid of an edited or deleted publication stays taken', async () => {
  const [edited, deleted] = [v7(), v7()]
  await send(ada, { uuid: edited })
  await send(ada, { uuid: deleted })
  expect((await app.rest(ada.token, 'PATCH', `/post/${edited}`, { content: 'Changed' })).status).toBe(200)
  expect((await app.rest(ada.token, 'DELETE', `/post/${deleted}`)).status).toBe(200)
  const before = await rowsOf(edited, deleted)
  for (const uuid of [edited, deleted]) {
    for (const person of [ada, bob]) expect(await send(person, { uuid })).toEqual(conflict)
  }
  expect(await rowsOf(edited, deleted)).toEqual(before)
})

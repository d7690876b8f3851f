import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocks, follows, likes } from '../../../src/features/base/relations.ts'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes, tally } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'
import { blockedPair } from '../../support/networks/blocked-pair.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let pair: Awaited<ReturnType<typeof blockedPair>>
let gone: string
beforeAll(async () => {
  app = await startApp()
  pair = await blockedPair(app, ['ada', 'bob', 'cyd'])
  gone = await publish(app, pair.third)
  await mutate(app, pair.third, 'deletePost', { uuid: gone }, 'publication { uuid }')
})
afterAll(() => app.close())

const refusalOf = ({ data, errors }: Answer) => ({
  data,
  errors: errors.map(({ message, extensions }) => ({ message, extensions })),
})

/** The writes to a publication over GraphQL, and what they are over REST. */
const writes = [
  { mutation: 'toggleLike', input: {}, method: 'POST', path: '/like', body: undefined },
  { mutation: 'setLike', input: { liked: false }, method: 'POST', path: '/like', body: undefined },
  { mutation: 'updatePost', input: { content: 'Mine' }, method: 'PATCH', path: '', body: { content: 'Mine' } },
  { mutation: 'deletePost', input: {}, method: 'DELETE', path: '', body: undefined },
]

describe.each([
  ['who blocks', 0, 1],
  ['who is blocked', 1, 0],
] as const)('a viewer %s', (_which, mine, others) => {
  test.each(writes)('gets the same answer to $mutation of what is hidden as of what is deleted', async (write) => {
    const { mutation, input, method, path, body } = write
    const [{ viewer }, { post, reply }] = [pair.sides[mine], pair.sides[others]]
    const narrow = await app.token(viewer, ['post.get', 'post.like', 'post.edit', 'post.delete'])
    for (const token of [viewer.token, narrow]) {
      const answers = [gone, post, reply].map((uuid) =>
        mutate(app, { token }, mutation, { uuid, ...input }, '__typename'),
      )
      const [deleted, ...hidden] = (await Promise.all(answers)).map(refusalOf)
      expect(deleted).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
      for (const answer of hidden) expect(answer).toEqual(deleted)
      for (const uuid of [post, reply])
        expect((await app.rest(token, method, `/post/${uuid}${path}`, body)).status).toBe(404)
    }
  })

  test('cannot reply to what is hidden, locked or not', async () => {
    const [{ viewer }, { viewer: other, post }] = [pair.sides[mine], pair.sides[others]]
    const locked = await publish(app, other, { locked: true })
    const answers = [gone, post, locked].flatMap((parent) =>
      [{}, { uuid: newId() }].map((more) =>
        mutate(app, viewer, 'sendReply', { content: 'Hello', parent, ...more }, 'reply { uuid }'),
      ),
    )
    const [first, ...all] = (await Promise.all(answers)).map(refusalOf)
    expect(first).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
    for (const answer of all) expect(answer).toEqual(first)
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('cannot follow the other, who is not followed either', async () => {
    const [{ viewer }, { viewer: other }] = [pair.sides[mine], pair.sides[others]]
    const both = [toggleRelation(app, viewer, follows, other.id), setRelation(app, viewer, follows, other.id)]
    expect(await outcomes(both)).toEqual({ FORBIDDEN: 2 })
    expect((await app.rest(viewer.token, 'POST', `/user/${other.id}/follow`)).status).toBe(403)
    expect(outcomeOf(await setRelation(app, viewer, follows, other.id, false))).toBe('UNFOLLOWED')
  })

  test('may still write what the other sees no more', async () => {
    const { viewer, post } = pair.sides[mine]
    expect(outcomeOf(await toggleRelation(app, viewer, likes, post))).toMatch(/LIKED$/)
    expect(outcomeOf(await mutate(app, viewer, 'updatePost', { uuid: post, content: 'Edited' }, '__typename'))).toBe(
      'DONE',
    )
  })
})

test('a repeated request with a key gets no stored result after a block', async () => {
  const [one, other] = await pairOf()
  const parent = await publish(app, other)
  const uuid = newId()
  const send = (key: string) =>
    app.graphql(
      one.token,
      'mutation ($input: SendReplyInput!) { sendReply(input: $input) { reply { uuid parent { content } } } }',
      { input: { uuid, parent, content: 'Hello' } },
      { headers: { 'idempotency-key': `"${key}"` } },
    )
  const first = await send('one')
  expect(first.data).toMatchObject({ sendReply: { reply: { uuid, parent: { content: 'Hello' } } } })
  await mutate(app, other, 'updatePost', { uuid: parent, content: 'Newer' }, '__typename')
  await setRelation(app, other, blocks, one.id)
  expect(outcomeOf(await send('one'))).toBe('CONFLICT')
  expect((await send('another')).data).toEqual({ sendReply: { reply: { uuid, parent: null } } })
})

async function pairOf(): Promise<[Person, Person]> {
  return [await app.person(), await app.person()]
}

test('a block by both ends when both have ended it', async () => {
  const [one, other] = await pairOf()
  const uuid = await publish(app, one)
  const isFound = async () => (await app.rest(other.token, 'GET', `/post/${uuid}`)).status === 200
  for (const [blocker, blocked] of [
    [one, other],
    [other, one],
  ] as const)
    expect(outcomeOf(await toggleRelation(app, blocker, blocks, blocked.id))).toBe('BLOCKED')
  expect(outcomeOf(await toggleRelation(app, one, blocks, other.id))).toBe('UNBLOCKED')
  expect(await isFound()).toBe(false)
  expect(outcomeOf(await toggleRelation(app, other, blocks, one.id))).toBe('UNBLOCKED')
  expect(await isFound()).toBe(true)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('blocks beside follows in both directions leave none', async () => {
  const before = await deadlocks(app.database)
  const [one, other] = await pairOf()
  for (let round = 0; round < 5; round += 1) {
    const writes = [
      ...[one, other, one, other].map((who) => setRelation(app, who, follows, who === one ? other.id : one.id)),
      ...[one, other].map((who) => setRelation(app, who, blocks, who === one ? other.id : one.id)),
    ]
    for (const outcome of (await Promise.all(writes)).map(outcomeOf))
      expect(outcome).toMatch(/^(?:FOLLOWED|FORBIDDEN|BLOCKED)$/)
    expect(await wrongCounters(app.database)).toEqual([])
    await Promise.all([setRelation(app, one, blocks, other.id, false), setRelation(app, other, blocks, one.id, false)])
    expect(await app.database.write.prisma.blockedPair.count({ where: { viewerId: one.id } })).toBe(0)
  }
  expect(await deadlocks(app.database)).toEqual(before)
})

test('likes and replies that begin after a block are refused, whatever happened beside it', async () => {
  const [one, ...crowd] = await people(app, 7)
  if (!one) throw new RangeError('There is nobody')
  const uuid = await publish(app, one)
  const block = crowd.map(({ id }) => setRelation(app, one, blocks, id))
  const beside = crowd.flatMap((viewer) => [
    setRelation(app, viewer, likes, uuid),
    mutate(app, viewer, 'sendReply', { content: 'Hello', parent: uuid }, '__typename'),
  ])
  expect(await outcomes(block)).toEqual({ BLOCKED: 6 })
  for (const outcome of (await Promise.all(beside)).map(outcomeOf))
    expect(outcome).toMatch(/^(?:LIKED|DONE|NOT_FOUND)$/)
  const later = await Promise.all(crowd.map((viewer) => toggleRelation(app, viewer, likes, uuid)))
  expect(tally(later.map(outcomeOf))).toEqual({ NOT_FOUND: 6 })
  expect(await wrongCounters(app.database)).toEqual([])
})

test.each(['who blocks', 'who is blocked'])(
  'the deletion of an account %s ends its blocks, beside others',
  async (which) => {
    const [one, other, third] = await people(app, 3)
    if (!one || !other || !third) throw new RangeError('There is nobody')
    const { prisma } = app.database.write
    const uuid = await publish(app, other)
    await setRelation(app, one, likes, uuid)
    await setRelation(app, which === 'who blocks' ? one : other, blocks, which === 'who blocks' ? other.id : one.id)
    const [deleted] = await Promise.all([
      deleteSuspended(app, one),
      toggleRelation(app, third, blocks, one.id),
      toggleRelation(app, third, follows, one.id),
    ])
    expect(deleted).toMatchObject({ likes: 1, blocks: expect.any(Number) })
    expect(await prisma.blockedPair.count({ where: { OR: [{ viewerId: one.id }, { hiddenId: one.id }] } })).toBe(0)
    expect(await prisma.block.count({ where: { OR: [{ blockerId: one.id }, { blockedId: one.id }] } })).toBe(0)
    expect((await prisma.publication.findUniqueOrThrow({ where: { id: uuid } })).likeCount).toBe(0)
    expect(await wrongCounters(app.database)).toEqual([])
  },
)

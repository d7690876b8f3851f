import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { AccountLimits } from '../../../src/features/limits/limits.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'

const most = { publications: 3, follows: 2, mentions: 2, reports: 1, likes: 2 }

let plain: TestApp
let app: TestApp
beforeAll(async () => {
  plain = await startApp()
  app = await startApp({ accountLimits: new AccountLimits(most, memoryLimiters) }, sharing(plain))
})
afterAll(async () => {
  await app.close()
  await plain.close()
})

/** An account that is older than a day. */
async function veteran(username?: string): Promise<Person> {
  const person = await app.person(username)
  await app.database.write.prisma.user.update({ where: { id: person.id }, data: { joinedAt: new Date(0) } })
  return person
}

const send = ({ token }: Person, content = 'Hello', more = {}) => app.rest(token, 'POST', '/post', { content, ...more })
const statusOf = async (response: Promise<Response>) => (await response).status
const statusesOf = (responses: readonly Promise<Response>[]) => Promise.all(responses.map(statusOf))

const listed = z.object({
  accountLimits: z.array(
    z.object({ name: z.string(), used: z.number(), limit: z.number(), resetsAt: z.string().nullable() }),
  ),
})
/** What the limits of an account are, and how much of them it has used. */
async function limitsOf({ token }: Person, on = app) {
  const { data } = await on.graphql(token, '{ accountLimits { name used limit resetsAt } }')
  return listed.parse(data).accountLimits
}

async function newPost(author: Person): Promise<string> {
  const { uuid } = await (await plain.rest(author.token, 'POST', '/post', { content: 'Post' })).json()
  return uuid
}

describe('a limit of an account', () => {
  test('is named in the errors of both APIs, with the time at which its count begins again', async () => {
    const ada = await veteran()
    expect(await statusesOf([send(ada), send(ada), send(ada)])).toEqual([200, 200, 200])
    const refused = await send(ada)
    expect(refused.status).toBe(429)
    const problem = await refused.json()
    expect(problem).toMatchObject({ code: 'RATE_LIMITED', limit: 'publications' })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(3 * 3_600 - 60)
    expect(problem.resets_at).toBeCloseTo(Date.now() / 1_000 + seconds, -1)
    const { limits } = await (await app.rest(ada.token, 'GET', '/limits')).json()
    expect(limits[0].name).toBe('publications')
    // Once in a while, a second ends between two answers.
    const isTold = (seconds: number) => expect(Math.abs(seconds - problem.resets_at)).toBeLessThanOrEqual(1)
    isTold(limits[0].resets_at)
    const { errors } = await app.graphql(
      ada.token,
      'mutation { sendPost(input: { content: "x" }) { publication { uuid } } }',
    )
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', limit: 'publications' } }])
    isTold(Date.parse(String(errors[0]?.extensions.resetsAt)) / 1_000)
    expect(await statusOf(send(await veteran()))).toBe(200)
  })

  test('lets one of two writes have the last unit', async () => {
    const ada = await veteran()
    const statuses = await statusesOf(Array.from({ length: 8 }, () => send(ada)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(most.publications)
  })

  test('gets 429 only where nothing was done: what several mutations did before it is told with 200', async () => {
    const ada = await veteran()
    const sendAll = async (count: number) => {
      const posts = Array.from(
        { length: count },
        (_, i) => `p${i}: sendPost(input: { content: "x" }) { publication { uuid } }`,
      )
      const { status, errors } = await app.graphql(ada.token, `mutation { __typename ${posts.join(' ')} }`)
      return { status, errors: errors.map(({ path, extensions }) => [path, extensions.code]) }
    }
    expect(await sendAll(most.publications + 1)).toEqual({ status: 200, errors: [[['p3'], 'RATE_LIMITED']] })
    const where = { authorId: ada.id }
    expect(await app.database.write.prisma.publication.count({ where })).toBe(most.publications)
    expect(await sendAll(2)).toEqual({ status: 429, errors: [[['p0'], 'RATE_LIMITED']] })
  })

  test('is a tenth for an account that is younger than a day', async () => {
    const eve = await app.person()
    expect(await statusesOf([send(eve), send(eve)]).then((all) => all.toSorted())).toEqual([200, 429])
    expect(await limitsOf(eve)).toMatchObject([
      { name: 'publications', used: 1, limit: 1 },
      ...Array(4).fill({ limit: 1 }),
    ])
  })

  test('tells its account how much is used and when the count begins again, alike in both APIs', async () => {
    const [ada, bob] = [await veteran(), await veteran()]
    const post = await newPost(bob)
    const like = (wanted: string) => app.rest(ada.token, wanted, `/post/${post}/like`)
    const start = Date.now()
    expect(await statusesOf([send(ada), like('PUT'), app.rest(ada.token, 'PUT', `/user/${bob.id}/follow`)])).toEqual([
      200, 200, 200,
    ])
    expect((await like('PUT')).status).toBe(200)
    expect((await like('DELETE')).status).toBe(200)
    const limits = await limitsOf(ada)
    expect(limits.map(({ name, used, limit }) => [name, used, limit])).toEqual([
      ['publications', 1, 3],
      ['follows', 1, 2],
      ['mentions', 0, 2],
      ['reports', 0, 1],
      ['likes', 1, 2],
    ])
    const ends = limits.map(({ resetsAt }) => resetsAt && Math.round((Date.parse(resetsAt) - start) / 3_600_000))
    expect(ends).toEqual([3, 24, null, null, 24])
    const ofRest = await (await app.rest(ada.token, 'GET', '/limits')).json()
    expect(ofRest).toEqual({
      limits: limits.map(({ resetsAt, ...limit }) => ({
        ...limit,
        resets_at: resetsAt && expect.closeTo(Date.parse(resetsAt) / 1_000, -1),
      })),
    })
    expect((await limitsOf(bob)).every(({ used }) => used === 0)).toBe(true)
  })

  test('is told without a token, alike in both APIs, and left out if it is switched off', async () => {
    const { data } = await app.graphql(undefined, '{ server { accountLimits { name limit newAccountLimit seconds } } }')
    const likes = { name: 'likes', limit: 2, newAccountLimit: 1, seconds: 86_400 }
    expect(data).toMatchObject({
      server: { accountLimits: [{ name: 'publications', seconds: 10_800 }, {}, {}, {}, likes] },
    })
    const { account_limits: ofRest } = await (await app.rest(undefined, 'GET', '/server')).json()
    expect(ofRest[4]).toEqual({ name: 'likes', limit: 2, new_account_limit: 1, seconds: 86_400 })
    const few = await startApp(
      { accountLimits: new AccountLimits({ ...most, likes: undefined }, memoryLimiters) },
      sharing(plain),
    )
    const names = (await limitsOf(await veteran(), few)).map(({ name }) => name)
    expect(names).toEqual(['publications', 'follows', 'mentions', 'reports'])
    expect((await (await few.rest(undefined, 'GET', '/server')).json()).account_limits).toHaveLength(4)
    await few.close()
  })

  test('counts neither what is refused nor what was sent before, which can still be sent again', async () => {
    const ada = await veteran()
    const uuid = (await import('uuid')).v7()
    for (let i = 0; i < 5; i += 1) {
      expect(await statusOf(send(ada, 'Once', { uuid }))).toBe(200)
      expect(await statusOf(send(ada, '', {}))).toBe(422)
      expect(await statusOf(send(ada, 'Reply', { parent: uuid.replace(/.$/, '0').replace(/^.{8}/, '01900000') }))).toBe(
        404,
      )
    }
    expect(await statusesOf([send(ada), send(ada)])).toEqual([200, 200])
    expect(await statusOf(send(ada))).toBe(429)
    expect(await statusOf(send(ada, 'Once', { uuid }))).toBe(200)
  })
})

describe('likes', () => {
  test('cost nothing if they change nothing, and neither do unlikes, which are possible above the limit', async () => {
    const [ada, bob] = [await veteran(), await veteran()]
    const [one = '', two = '', three = ''] = await Promise.all([newPost(bob), newPost(bob), newPost(bob)])
    const like = (uuid: string, method = 'PUT') => statusOf(app.rest(ada.token, method, `/post/${uuid}/like`))
    for (let i = 0; i < 4; i += 1) expect(await like(one)).toBe(200)
    expect(await like(two)).toBe(200)
    expect(await like(three)).toBe(429)
    expect(await like(three, 'POST')).toBe(429)
    expect(await like(three, 'DELETE')).toBe(200)
    expect(await like(one)).toBe(200)
    expect(await like(one, 'POST')).toBe(200)
    expect(await like(one, 'POST')).toBe(429)
    const liked = await app.database.write.prisma.like.count({ where: { userId: ada.id } })
    expect(liked).toBe(1)
  })
})

describe('follows', () => {
  test('count requests too, each once', async () => {
    const [ada, bob, cyd, dan] = [await veteran(), await veteran(), await veteran(), await veteran()]
    await plain.rest(bob.token, 'PATCH', '/user', { is_private: true })
    const follow = ({ id }: Person) => statusOf(app.rest(ada.token, 'PUT', `/user/${id}/follow`))
    for (let i = 0; i < 3; i += 1) expect(await follow(bob)).toBe(200)
    expect(await follow(cyd)).toBe(200)
    expect(await follow(dan)).toBe(429)
    expect(await follow(bob)).toBe(200)
  })
})

describe('mentions', () => {
  test('count the accounts that do not follow the author, also those that an edit adds', async () => {
    const ada = await veteran()
    const [bob, cyd, dan] = [await veteran('m_bob'), await veteran('m_cyd'), await veteran('m_dan')]
    await plain.rest(dan.token, 'PUT', `/user/${ada.id}/follow`)
    const sent = await send(ada, '@m_bob @m_bob @m_dan @nobody_here')
    expect(sent.status).toBe(200)
    const { uuid } = await sent.json()
    const edit = (content: string) => app.rest(ada.token, 'PATCH', `/post/${uuid}`, { content })
    expect(await statusOf(edit('@m_bob again'))).toBe(200)
    expect(await statusOf(edit('@m_bob @m_cyd'))).toBe(200)
    const refused = await send(ada, '@m_cyd')
    expect([refused.status, (await refused.json()).limit]).toEqual([429, 'mentions'])
    expect(await statusOf(send(ada, '@m_dan'))).toBe(200)
    expect([bob, cyd]).toHaveLength(2)
  })
})

test('a post that no new account may send at once can be sent when it is older', async () => {
  const eve = await app.person()
  await Promise.all([veteran('m_eva'), veteran('m_fay')])
  const refused = await send(eve, '@m_eva @m_fay')
  expect([refused.status, (await refused.json()).limit]).toEqual([429, 'mentions'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400 - 60)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
})

test('a new account waits no longer than until its first day ends', async () => {
  const eve = await app.person()
  const joinedAt = new Date(Date.now() - 86_400_000 + 60_000)
  await app.database.write.prisma.user.update({ where: { id: eve.id }, data: { joinedAt } })
  expect(await statusOf(send(eve))).toBe(200)
  const refused = await send(eve)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
})

test('a post that not even an old account may send at once is invalid', async () => {
  const ada = await veteran()
  await Promise.all([veteran('m_gus'), veteran('m_hal'), veteran('m_ida')])
  const refused = await send(ada, '@m_gus @m_hal @m_ida')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([422, null])
  const message = 'mentions 3 accounts that do not follow you; at most 2 are allowed in 24 hours'
  expect(await refused.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'content', message }] })
  expect(await statusOf(send(ada, '@m_gus @m_hal'))).toBe(200)
})

test('reposts count as publications', async () => {
  const [ada, bob] = [await veteran(), await veteran()]
  for (let count = 0; count < most.publications; count += 1)
    expect(await statusOf(app.rest(ada.token, 'PUT', `/post/${await newPost(bob)}/repost`))).toBe(200)
  expect(await statusOf(send(ada))).toBe(429)
})

describe('reports', () => {
  test('count once for the same, and what is open can be reported again above the limit', async () => {
    const [ada, bob, cyd] = [await veteran(), await veteran(), await veteran()]
    const report = ({ id }: Person) => app.rest(ada.token, 'POST', '/report', { uuid: id, reason: 'spam' })
    for (let i = 0; i < 3; i += 1) expect(await statusOf(report(bob))).toBe(200)
    const refused = await report(cyd)
    expect([refused.status, (await refused.json()).limit]).toEqual([429, 'reports'])
  })
})

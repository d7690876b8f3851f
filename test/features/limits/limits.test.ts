import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    const { errors } = await app.graphql(
      ada.token,
      'mutation { sendPost(input: { content: "x" }) { publication { uuid } } }',
    )
    expect(errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', limit: 'publications', resetsAt: expect.any(String) } },
    ])
    expect(await statusOf(send(await veteran()))).toBe(200)
  })

  test('lets one of two writes have the last unit', async () => {
    const ada = await veteran()
    const statuses = await statusesOf(Array.from({ length: 8 }, () => send(ada)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(most.publications)
  })

  test('is a tenth for an account that is younger than a day', async () => {
    const eve = await app.person()
    expect(await statusesOf([send(eve), send(eve)]).then((all) => all.toSorted())).toEqual([200, 429])
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

describe('reports', () => {
  test('count once for the same, and what is open can be reported again above the limit', async () => {
    const [ada, bob, cyd] = [await veteran(), await veteran(), await veteran()]
    const report = ({ id }: Person) => app.rest(ada.token, 'POST', '/report', { uuid: id, reason: 'spam' })
    for (let i = 0; i < 3; i += 1) expect(await statusOf(report(bob))).toBe(200)
    const refused = await report(cyd)
    expect([refused.status, (await refused.json()).limit]).toEqual([429, 'reports'])
  })
})

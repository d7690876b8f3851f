import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { refusalPrice } from '../../../src/engine/auth/budgets.ts'
import { pointsOfStoredKiB } from '../../../src/engine/execution/idempotency.ts'
import { entityPrice } from '../../../src/features/posts/mutations.ts'
import { budgets, type Person, startApp, type TestApp } from '../../support/app.ts'
import { balanceOf } from '../../support/http/balance.ts'
import { sendRaw } from '../../support/http/raw-request.ts'

const points = 10_000
const seconds = 3_600

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp({ budgets: budgets({ points, seconds }) })
})
afterAll(() => app.close())

/** Accounts with full budgets for each test. */
async function newcomers() {
  ada = await app.person()
  bob = await app.person()
}

const remainingOf = async (token: string | undefined) => {
  const { headers } = await app.graphql(token, '{ rateLimit(dryRun: true) { cost } }')
  return balanceOf(headers).remaining
}

describe('the budget of an account', () => {
  test('is in the headers of every response of both surfaces', async () => {
    await newcomers()
    const authorization = `Bearer ${ada.token}`
    const responses = await Promise.all([
      fetch(`${app.origin}/graphql?query={__typename}`, { headers: { authorization } }),
      fetch(`${app.origin}/graphql?query={`, { headers: { authorization } }),
      fetch(`${app.origin}/graphql?query={__typename}`),
      fetch(`${app.origin}/graphql?query={__typename}`, { headers: { authorization: 'Bearer none' } }),
      fetch(`${app.origin}/graphql`, { method: 'OPTIONS' }),
      fetch(`${app.origin}/graphql`, { method: 'PUT' }),
      app.rest(ada.token, 'GET', '/user'),
      app.rest(undefined, 'GET', '/user'),
      app.rest(undefined, 'OPTIONS', '/user'),
      app.rest(ada.token, 'PUT', '/user'),
      app.rest(ada.token, 'GET', '/nothing'),
    ])
    for (const { headers } of responses) {
      expect(headers.get('ratelimit-policy')).toBe(`"default";q=${points};w=${seconds}`)
      expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
      const exposed = headers.get('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Rookery-Cost']))
    }
    const page = await fetch(`${app.origin}/graphql`, { headers: { accept: 'text/html' } })
    expect(page.headers.get('ratelimit')).toBeNull()
  })

  test('is spent by both surfaces alike', async () => {
    await newcomers()
    const graphql = await app.graphql(ada.token, '{ rateLimit { cost remaining limit resetAt } viewer { username } }')
    const { cost, remaining, limit, resetAt } = Object(graphql.data).rateLimit
    expect(graphql.headers.get('rookery-cost')).toBe(String(cost))
    expect({ remaining, limit }).toEqual({ remaining: points - cost, limit: points })
    expect(balanceOf(graphql.headers)).toMatchObject({ remaining, limit, window: seconds })
    expect(Date.parse(resetAt)).toBeGreaterThan(Date.now())
    const rest = await app.rest(ada.token, 'GET', '/user')
    const { remaining: left } = balanceOf(rest.headers)
    expect(left).toBeLessThan(remaining - refusalPrice)
    expect(rest.headers.get('rookery-cost')).toBe(String(remaining - left))
    expect(await remainingOf(ada.token)).toBe(left)
    expect(await remainingOf(bob.token)).toBe(points)
  })

  test('is replaced by the budget of the address if there is no token', async () => {
    const ask = async (from: string) => {
      const { headers } = await sendRaw(app.origin, { method: 'GET', path: '/graphql?query={__typename}', from })
      return /r=(\d+)/.exec(String(headers.ratelimit))?.[1]
    }
    const first = await ask('127.0.5.1')
    expect(first).toBeDefined()
    expect(await ask('127.0.5.2')).toBe(first)
    expect(await ask('127.0.5.1')).not.toBe(first)
  })

  test.each([
    ['a document that does not parse', (token: string) => app.graphql(token, '{')],
    ['an unknown field', (token: string) => app.graphql(token, '{ nothing }')],
    [
      'an argument out of bounds',
      (token: string) => app.graphql(token, '{ publicTimeline(first: 101) { totalCount } }'),
    ],
    ['an unknown path', (token: string) => app.rest(token, 'GET', '/nothing')],
    ['an unsupported method', (token: string) => app.rest(token, 'PUT', '/user')],
    ['a malformed body', (token: string) => app.rest(token, 'POST', '/post', '{')],
  ])('is charged a fixed price for %s', async (_what, send) => {
    await newcomers()
    const { headers } = await send(ada.token)
    expect(balanceOf(headers).remaining).toBe(points - refusalPrice)
    expect(headers.get('rookery-cost')).toBe(String(refusalPrice))
  })

  test('is not charged for a preflight request or a dry run', async () => {
    await newcomers()
    await app.rest(ada.token, 'OPTIONS', '/user')
    expect(await remainingOf(ada.token)).toBe(points)
    expect(await remainingOf(ada.token)).toBe(points)
  })
})

describe('a dry run', () => {
  test('returns only the price of the operation, under its response key', async () => {
    const document = `query ($dry: Boolean) {
      ...Price
      __typename
      publicTimeline(first: 5) { nodes { uuid } }
    }
    fragment Price on Query { price: rateLimit(dryRun: $dry) { ...Cost } }
    fragment Cost on RateLimit { cost }`
    await newcomers()
    const dry = await app.graphql(ada.token, document, { dry: true })
    expect(dry).toMatchObject({ status: 200, errors: [], data: { price: { cost: expect.any(Number) } } })
    expect(Object.keys(Object(dry.data))).toEqual(['price', '__typename'])
    const wet = await app.graphql(ada.token, document, { dry: false })
    expect(wet.data).toEqual({ ...Object(dry.data), publicTimeline: { nodes: [] } })
    expect(balanceOf(wet.headers).remaining).toBe(points - Object(dry.data).price.cost)
  })

  test('requires what the operation requires', async () => {
    const { errors } = await app.graphql(undefined, '{ rateLimit(dryRun: true) { cost } viewer { username } }')
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })
})

describe('when too few points are left', () => {
  /** Spends points until fewer than this many are left. */
  async function spendUntil(token: string, left: number) {
    while ((await remainingOf(token)) >= left) await app.graphql(token, '{ nothing }')
  }

  test('both surfaces refuse, tell when to try again, and change nothing', async () => {
    await newcomers()
    await spendUntil(ada.token, 200)
    const mutation = `mutation { sendPost(input: { content: "Hello" }) { publication { uuid } } }`
    const graphql = await app.graphql(ada.token, mutation)
    const rest = await app.rest(ada.token, 'POST', '/post', { content: 'Hello' })
    for (const { status, headers } of [graphql, rest]) {
      expect(status).toBe(429)
      // The header may be computed in the next second.
      const { resetsIn = 0 } = balanceOf(headers)
      expect([resetsIn, resetsIn + 1]).toContain(Number(headers.get('retry-after')))
    }
    expect(graphql.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(await rest.json()).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      type: 'urn:rookery:error:rate_limited',
    })
    expect(await app.database.write.prisma.publication.count({ where: { authorId: ada.id } })).toBe(0)
    expect((await app.rest(bob.token, 'GET', '/user')).status).toBe(200)
  })

  test('cheaper operations still run', async () => {
    await newcomers()
    await spendUntil(ada.token, 500)
    const expensive = await app.graphql(ada.token, '{ homeTimeline { totalCount } }')
    expect(expensive.status).toBe(429)
    expect(await app.graphql(ada.token, '{ viewer { username } }')).toMatchObject({ status: 200, errors: [] })
  })

  test('the sum of many requests at once never exceeds the budget', async () => {
    await newcomers()
    const quote = await app.graphql(ada.token, '{ rateLimit(dryRun: true) { cost } viewer { username } }')
    const { cost } = Object(quote.data).rateLimit
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => app.graphql(ada.token, '{ viewer { username } }')),
    )
    const done = answers.filter(({ status }) => status === 200).length
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true)
    expect(done).toBeLessThanOrEqual(Math.floor(points / cost))
    expect(done).toBeGreaterThan(0)
  })
})

test('a result that is stored for retries takes points for its size, and one that is replayed takes none', async () => {
  await newcomers()
  const document = 'mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { content } } }'
  const send = async (headers: Record<string, string>) => {
    const before = await remainingOf(ada.token)
    const sent = await app.graphql(ada.token, document, { input: { content: 'x'.repeat(500) } }, { headers })
    expect(sent.errors).toEqual([])
    const spent = before - balanceOf(sent.headers).remaining
    expect(sent.headers.get('rookery-cost')).toBe(String(spent))
    return spent
  }
  const price = await send({})
  const keyed = { 'idempotency-key': '"one"' }
  expect(await send(keyed)).toBe(price + pointsOfStoredKiB)
  expect(await send(keyed)).toBe(price)
})

test('an operation cannot cost more than the whole budget', async () => {
  const poor = await startApp({ budgets: budgets({ points: 1_000, seconds }) })
  const eve = await poor.person()
  const { errors } = await poor.graphql(eve.token, '{ homeTimeline { totalCount } }')
  expect(errors).toMatchObject([
    { extensions: { code: 'VALIDATION_FAILED' }, message: expect.stringMatching('at most 1000') },
  ])
  await poor.close()
})

test('nothing is limited where rate limits are off', async () => {
  const open = await startApp({ budgets: undefined })
  const eve = await open.person()
  const { headers, data } = await open.graphql(eve.token, '{ rateLimit { cost limit remaining resetAt } }')
  expect(headers.get('ratelimit')).toBeNull()
  expect(headers.get('ratelimit-policy')).toBeNull()
  expect(data).toEqual({
    rateLimit: { cost: Number(headers.get('rookery-cost')), limit: null, remaining: null, resetAt: null },
  })
  await open.close()
})

test('each mention or hashtag of a content costs points, also in an edit', async () => {
  await newcomers()
  const spentBy = async (document: string) => {
    const before = await remainingOf(ada.token)
    const { data, errors, headers } = await app.graphql(ada.token, document)
    expect(errors).toEqual([])
    const spent = before - balanceOf(headers).remaining
    expect(headers.get('rookery-cost')).toBe(String(spent))
    return {
      spent,
      uuid: z.object({ sent: z.object({ publication: z.object({ uuid: z.string() }) }) }).parse(data).sent.publication
        .uuid,
    }
  }
  const send = (content: string) =>
    `mutation { sent: sendPost(input: { content: "${content}" }) { publication { uuid } } }`
  const plain = await spentBy(send('Hello'))
  const named = await spentBy(send(`@${bob.username} and @nobody #one #two`))
  expect(named.spent - plain.spent).toBe(4 * entityPrice)
  const edit = (content: string) =>
    `mutation { sent: updatePost(input: { uuid: "${plain.uuid}", content: "${content}" }) { publication { uuid } } }`
  expect((await spentBy(edit('#three'))).spent - (await spentBy(edit('three'))).spent).toBe(entityPrice)
})

test.each(['verify', 'reset'])(
  'the form of /%s spends the budget of the address, and its page does not',
  async (page) => {
    const small = await startApp({ budgets: budgets({ points: 1_000, seconds }) })
    const body = new URLSearchParams({ token: 'A'.repeat(43), password: 'a long password' })
    const statuses: number[] = []
    for (const method of ['GET', 'POST', 'POST', 'POST', 'POST'])
      statuses.push((await fetch(`${small.origin}/${page}`, { method, ...(method === 'POST' && { body }) })).status)
    expect(statuses.slice(0, 4)).not.toContain(429)
    expect(statuses[4]).toBe(429)
    await small.close()
  },
)

test('each alias of what walks over notifications costs what it takes', async () => {
  const costOf = async (fields: string) => {
    const { data } = await app.graphql(ada.token, `{ rateLimit(dryRun: true) { cost } viewer { ${fields} } }`)
    return z.object({ rateLimit: z.object({ cost: z.number() }) }).parse(data).rateLimit.cost
  }
  const counts = (many: number) =>
    costOf(Array.from({ length: many }, (_, nth) => `a${nth}: unreadNotificationCount`).join(' '))
  expect((await counts(6)) - (await counts(1))).toBeGreaterThanOrEqual(5 * 1_000)
  const page = (first: number) => costOf(`notifications(first: ${first}) { nodes { kind } }`)
  expect((await page(100)) - (await page(1))).toBeGreaterThanOrEqual(99 * 10)
})

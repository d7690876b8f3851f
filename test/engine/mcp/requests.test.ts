import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxBody } from '../../../src/engine/http/json-body.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { connectAgent, postMcp, toolCall } from '../../support/http/mcp.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const me = toolCall('query', { operation: 'query Me { viewer { username } }' })
const send = (body: unknown, headers?: Record<string, string>) => postMcp(app.origin, ada.token, body, headers)
const problem = async (response: Response) => ({ status: response.status, body: await response.json() })

test('a request without a token gets a challenge, also from a page of another origin', async () => {
  for (const origin of [{}, { origin: 'https://evil.example' }]) {
    const response = await postMcp(app.origin, undefined, me, origin)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
    expect(await problem(response)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  }
  const unknown = await postMcp(app.origin, `rookery_${'x'.repeat(43)}`, me)
  expect(unknown.headers.get('www-authenticate')).toContain('error="invalid_token"')
})

test('the token of a suspended account is refused', async () => {
  const bob = await app.person()
  await app.database.write.prisma.user.update({ where: { id: bob.id }, data: { suspendedAt: new Date() } })
  const response = await postMcp(app.origin, bob.token, me)
  expect(await problem(response)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } })
})

test.each(['GET', 'DELETE', 'PUT'])('%s is refused, since there are no sessions', async (method) => {
  const headers = { authorization: `Bearer ${ada.token}`, accept: 'text/event-stream' }
  const response = await fetch(`${app.origin}/mcp`, { method, headers })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
})

test.each<[string, unknown, number, string]>([
  ['a batch', [me, me], 400, 'BAD_REQUEST'],
  ['a body that is too large', { ...me, padding: 'x'.repeat(maxBody) }, 413, 'PAYLOAD_TOO_LARGE'],
  ['too many values', { ...me, padding: Array.from({ length: 1_001 }, () => 0) }, 400, 'BAD_REQUEST'],
  ['a body that is not JSON', '{', 400, 'BAD_REQUEST'],
])('%s is refused', async (_, body, status, code) => {
  expect(await problem(await send(body))).toMatchObject({ status, body: { code } })
})

test('a body of another media type is refused', async () => {
  expect((await send(me, { 'content-type': 'text/plain' })).status).toBe(415)
})

test('a message that is not of the protocol gets an error of JSON-RPC, whatever the client accepts', async () => {
  const versions = [{}, { 'mcp-protocol-version': '2026-07-28' }, { 'mcp-protocol-version': 'x' }]
  for (const message of [
    1,
    {},
    { jsonrpc: '2.0', id: 1, method: 'none' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call' },
  ]) {
    for (const headers of versions) {
      const text = await (await send(message, { accept: 'text/plain', ...headers })).text()
      expect([message, headers, JSON.parse(text.replace(/^event: message\ndata: /, ''))]).toMatchObject([
        message,
        headers,
        { jsonrpc: '2.0', error: { code: expect.any(Number) } },
      ])
    }
  }
})

test('the log names the tool or the operation, its viewer, cost and code', async () => {
  const lineOf = async (body: object) => {
    const before = app.lines.length
    await send(body)
    return app.lines.slice(before).find(({ msg }) => msg === 'answered')
  }
  const line = { method: 'POST', path: '/mcp', viewer: ada.id, status: 200 }
  expect(await lineOf(me)).toMatchObject({ ...line, operation: 'Me', cost: expect.any(Number) })
  expect(await lineOf(toolCall('search_schema', { words: 'likes' }))).toMatchObject({
    ...line,
    operation: 'search_schema',
  })
  const failing = toolCall('query', { operation: '{ user(by: { uuid: "x" }) { username } }' })
  expect(await lineOf(failing)).toMatchObject({ ...line, code: 'VALIDATION_FAILED' })
})

test('agents spend the budget of their account', async () => {
  const limited = await startApp({ budgets: budgets({ points: 1_000, seconds: 3_600 }) }, sharing(app))
  const bob = await limited.person()
  const run = () => postMcp(limited.origin, bob.token, me)
  const first = await run()
  expect(first.headers.get('ratelimit-policy')).toBe('"default";q=1000;w=3600')
  expect(Number(first.headers.get('rookery-cost'))).toBeGreaterThan(100)
  const left = () => limited.graphql(bob.token, '{ rateLimit(dryRun: true) { remaining } viewer { uuid } }')
  await run()
  expect(await (await run()).text()).toContain('username')
  for (let sent = 0; sent < 6; sent += 1) await run()
  const refused = await run()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expect((await left()).status).toBe(429)
  await limited.close()
})

test('a fault is masked and logged', async () => {
  const broken = await startApp({}, async () => ({
    ...app.database,
    close: async () => {},
    for: () => {
      throw new Error('a secret of the server')
    },
  }))
  const text = await (await postMcp(broken.origin, ada.token, me)).text()
  expect(text).toContain('INTERNAL')
  expect(text).not.toContain('a secret of the server')
  expect(broken.lines).toContainEqual(expect.objectContaining({ msg: 'unexpected error' }))
  await broken.close()
})

test('the first challenge names the scopes that read, and a call that needs more the fewest that the token would need', async () => {
  const reading = 'post.get reply.get user.get user.following.get user.followers.get notification.get'
  const metadata = `resource_metadata="${app.origin}/.well-known/oauth-protected-resource/mcp"`
  const first = await postMcp(app.origin, undefined, me)
  expect(first.headers.get('www-authenticate')).toBe(`Bearer realm="rookery", scope="${reading}", ${metadata}`)

  const token = await app.token(ada, ['post.get', 'user.get'])
  const liking = { operation: `mutation { setLike(input: { uuid: "${ada.id}", liked: true }) { action } }` }
  const refused = await postMcp(app.origin, token, toolCall('mutate', liking))
  const scope = 'post.get user.get post.like'
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`,
  )
  const requiredScopes = [
    ['post.get', 'post.like'],
    ['reply.get', 'reply.like'],
  ]
  expect(await problem(refused)).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', requiredScopes } })
  const checked = await postMcp(app.origin, token, toolCall('check_operation', liking))
  expect([checked.status, await checked.text()]).toEqual([200, expect.stringContaining('INSUFFICIENT_SCOPE')])
})

test('nobody is asked for a scope that their account cannot have', async () => {
  const operation = '{ reports { nodes { uuid } } viewer { unreadNotificationCount } }'
  const ask = async (person: Person) =>
    postMcp(app.origin, await app.token(person, ['user.get']), toolCall('query', { operation }))
  const stranger = await ask(ada)
  expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([200, null])
  const message = 'requires a token with the scope moderation.manage, which this account cannot have.'
  expect(await stranger.text()).toContain(message)
  const direct = await app.graphql(await app.token(ada, ['user.get']), '{ reports { nodes { uuid } } }')
  expect([direct.status, direct.headers.get('www-authenticate')]).toEqual([403, null])
  const asked = await ask(await moderator(app, 'mo'))
  expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('scope="user.get moderation.manage notification.get"'),
  ])
})

test('variables that are null and an operation among several work as over HTTP', async () => {
  const operation = 'query One { viewer { username } } query Two { viewer { uuid } }'
  for (const input of [
    { operation, variables: null, operationName: 'Two' },
    { operation: 'query Two { viewer { uuid } }', variables: null, operationName: null },
  ])
    expect(await (await send(toolCall('query', input))).text()).toContain(ada.id)
  expect(await (await send(toolCall('query', { operation }))).text()).toContain('BAD_REQUEST')
})

test('a search of the schema costs points for each word, and a resource for its bytes', async () => {
  const costOf = async (body: object) => Number((await send(body)).headers.get('rookery-cost'))
  const words = Array.from({ length: 60 }, (_, index) => index.toString(36).padStart(2, 'e'))
  const searching = (count: number) => toolCall('search_schema', { words: words.slice(0, count).join(' ') })
  const [one, two, many] = [await costOf(searching(1)), await costOf(searching(2)), await costOf(searching(60))]
  expect(one).toBeGreaterThan(100)
  expect(many - one).toBeGreaterThan(50 * (two - one))
  expect(await costOf(toolCall('search_schema', { words: 'post '.repeat(40) }))).toBe(one)
  const reading = (uri: string) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } })
  const [schema, rules] = [
    await costOf(reading('rookery:schema.graphql')),
    await costOf(reading('rookery:docs/api.md')),
  ]
  expect(rules).toBeGreaterThan(200)
  expect(schema).toBeGreaterThan(2 * rules)
})

test('with MCP=off, nothing is at the path, no metadata names it, and no token is for it', async () => {
  const off = await startApp({ mcp: false }, sharing(app))
  const metadata = '/.well-known/oauth-protected-resource'
  for (const [method, path, status] of [
    ...['POST', 'GET', 'HEAD', 'OPTIONS', 'DELETE'].flatMap((method) => [[method, '/mcp', 404] as const]),
    ...['GET', 'HEAD', 'OPTIONS'].map((method) => [method, `${metadata}/mcp`, 404] as const),
    ['GET', metadata, 200],
  ] as const)
    expect([method, path, (await fetch(off.origin + path, { method })).status]).toEqual([method, path, status])
  const asked = {
    client_id: 'rookery-web',
    redirect_uri: `${off.origin}/oauth/callback`,
    response_type: 'code',
    scope: 'post.get',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    resource: `${off.origin}/mcp`,
  }
  const answer = await fetch(`${off.origin}/oauth/authorize?${new URLSearchParams(asked)}`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toContain('error=invalid_target')
  await off.close()
})

test('the schema can be hidden from agents', async () => {
  const hidden = await startApp({ introspection: false }, sharing(app))
  const agent = await connectAgent(hidden.origin, ada.token)
  expect(await agent.tools()).toEqual(['check_operation', 'mutate', 'query'])
  expect(agent.client.getInstructions()).toMatch(/^A social network\. Check an operation with check_operation/)
  expect((await agent.client.listResources()).resources.map(({ name }) => name)).toEqual(['docs/api.md'])
  await agent.client.close()
  await hidden.close()
})

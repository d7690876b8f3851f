import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { type Agent, answerOf, connectAgent } from '../../support/http/mcp.ts'
import { authorization } from '../../support/rest/call.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const query = { operation: 'query Me { viewer { username } }' }
const answer = { text: '{"data":{"viewer":{"username":"ada"}}}', isError: false }

describe.each([
  ['by default', {}, '2025-11-25'],
  ['that negotiates', { versionNegotiation: { mode: 'auto' as const } }, '2026-07-28'],
])('the client 2.4 %s', (_, options, version) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await connectAgent(app.origin, ada.token, options)
  })
  afterAll(() => agent.client.close())

  test('lists the tools and the resources, and calls a tool', async () => {
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(version)
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'rookery' })
    expect(await agent.tools()).toEqual(['check_operation', 'mutate', 'query', 'search_schema'])
    expect(await agent.call('query', query)).toEqual(answer)
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['rookery:schema.graphql', 'rookery:docs/api.md'])
    const { contents } = await agent.client.readResource({ uri: 'rookery:schema.graphql' })
    expect(contents).toEqual([expect.objectContaining({ text: expect.stringContaining('type Mutation {') })])
  })

  test('gets an error for a tool or a resource that does not exist', async () => {
    await expect(agent.client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32602 })
    await expect(agent.client.readResource({ uri: 'rookery:none' })).rejects.toThrow()
  })
})

test('the SDK 1.32 lists the tools and calls one', async () => {
  const client = new OldClient({ name: 'test', version: '1' })
  const requestInit = { headers: authorization(ada.token) }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.origin}/mcp`), { requestInit }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('query')
  expect(answerOf(await client.callTool({ name: 'query', arguments: query }))).toEqual(answer)
  await client.close()
})

test('a client without a valid token is told to get one', async () => {
  for (const token of ['', `rookery_${'x'.repeat(43)}`])
    await expect(connectAgent(app.origin, token)).rejects.toMatchObject({ data: { status: 401 } })
})

import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { answerOf } from '../../support/http/mcp.ts'
import { OAuthBrowser } from '../../support/oauth/browser.ts'
import { answerPages, personWithPassword, redirectUri } from '../../support/oauth/client.ts'
import { startMetadataServer } from '../../support/oauth/metadata-server.ts'

const metadata = {
  client_name: 'Agent',
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
}

let app: TestApp
let endpoint: URL
let documents: Awaited<ReturnType<typeof startMetadataServer>>
beforeAll(async () => {
  documents = await startMetadataServer(({ headers, url }, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...metadata, client_id: `https://${headers.host}${url}` })),
  )
  app = await startApp({ clientRegistration: true, clientMetadataLoopback: true })
  endpoint = new URL(`${app.origin}/mcp`)
  await personWithPassword(app, 'robin')
})
afterAll(async () => {
  documents.close()
  await app.close()
})

/** What an agent keeps, and where it sends its user. */
type Kept = {
  client?: { readonly client_id: string }
  tokens?: { readonly access_token: string; readonly token_type: string; readonly scope?: string | undefined }
  discovery?: OAuthDiscoveryState
  verifier: string
  url: string
}

/** An agent that knows nothing of the server but its URL. With the URL of a document, it does not register. */
function agent(clientMetadataUrl: string | undefined) {
  const kept: Kept = { verifier: '', url: '' }
  const authProvider: OAuthClientProvider = {
    ...(clientMetadataUrl && { clientMetadataUrl }),
    redirectUrl: redirectUri,
    clientMetadata: { ...metadata, redirect_uris: [redirectUri] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => void Object.assign(kept, { discovery }),
    redirectToAuthorization: ({ href }) => void Object.assign(kept, { url: href }),
  }
  /** Answers the pages, and returns what the agent gets in its URL. */
  const allow = async () => {
    const { end } = await answerPages(new OAuthBrowser(app.origin), kept.url, 'robin')
    return new URL(end.url).searchParams
  }
  return { kept, authProvider, allow }
}

const scopesIn = (url: string) => new URL(url).searchParams.get('scope')?.split(' ')

const call = { name: 'query', arguments: { operation: '{ viewer { username } }' } }
const answer = { text: '{"data":{"viewer":{"username":"robin"}}}', isError: false }

describe.each([
  ['that registers', () => undefined],
  ['whose id is the URL of its metadata', () => `${documents.origin}/agent`],
])('an agent %s connects from the first 401 on', (_, documentOf) => {
  test.each([
    ['by default', {}],
    ['that negotiates', { versionNegotiation: { mode: 'auto' as const } }],
  ])('with the client 2.4 %s', async (_mode, options) => {
    const { kept, authProvider, allow } = agent(documentOf())
    const first = new StreamableHTTPClientTransport(endpoint, { authProvider })
    await expect(new Client({ name: 'test', version: '1' }, options).connect(first)).rejects.toThrow()
    await first.finishAuth(await allow())
    const client = new Client({ name: 'test', version: '1' }, options)
    await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider }))
    expect(answerOf(await client.callTool(call))).toEqual(answer)
    expect(kept.client?.client_id).toEqual(documentOf() ?? expect.not.stringContaining('https:'))
    await client.close()
  })

  test('and asks for more scopes once a tool needs them', async () => {
    const { kept, authProvider, allow } = agent(documentOf())
    const first = new StreamableHTTPClientTransport(endpoint, { authProvider })
    await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow()
    const reading = 'post.get reply.get user.get user.following.get user.followers.get notification.get'
    expect(scopesIn(kept.url)).toEqual(reading.split(' '))
    await first.finishAuth(await allow())
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(endpoint, { authProvider })
    await client.connect(transport)
    const operation = 'mutation { sendPost(input: { content: "By an agent" }) { publication { content } } }'
    const sending = { name: 'mutate', arguments: { operation } }
    await expect(client.callTool(sending)).rejects.toThrow()
    expect(scopesIn(kept.url)).toEqual([...reading.split(' '), 'post.send'])
    await transport.finishAuth(await allow())
    expect(answerOf(await client.callTool(sending)).text).toContain('By an agent')
    await client.close()
  })

  test('with the SDK 1.32', async () => {
    const { authProvider, allow } = agent(documentOf())
    const first = new OldTransport(endpoint, { authProvider })
    await expect(new OldClient({ name: 'test', version: '1' }).connect(first)).rejects.toThrow('Unauthorized')
    await first.finishAuth((await allow()).get('code') ?? '')
    const client = new OldClient({ name: 'test', version: '1' })
    await client.connect(new OldTransport(endpoint, { authProvider }))
    expect(answerOf(await client.callTool(call))).toEqual(answer)
    await client.close()
  })
})

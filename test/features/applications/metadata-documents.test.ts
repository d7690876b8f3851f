import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPublic, resolver, safeFetch } from '../../../src/features/applications/oauth/safe-fetch.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { authorize, personWithPassword, redirectUri } from '../../support/oauth/client.ts'
import { startMetadataServer } from '../../support/oauth/metadata-server.ts'

/** What the server of the metadata answers. */
type Mode = 'ok' | 'foreign' | 'broken' | 'redirect' | 'large' | 'slow' | 'endless' | 'other id' | 'secret' | 'device'

/** Metadata for all servers, of which this one uses little. */
const foreign = {
  scope: 'openid offline_access mcp',
  id_token_signed_response_alg: 'RS256',
  contacts: ['not an address'],
  response_types: ['code', 'id_token'],
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  subject_type: 'pairwise',
  logo_uri: 'http://app.example/logo.png',
  client_uri: null,
  jwks: null,
  software_id: null,
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

let app: TestApp
let documents: Awaited<ReturnType<typeof startMetadataServer>>
let mode: Mode = 'ok'
let fetched = 0
let clientId: string

beforeAll(async () => {
  documents = await startMetadataServer((request, response) => {
    fetched += 1
    if (mode === 'redirect') return response.writeHead(302, { location: clientId }).end()
    if (mode === 'slow') return undefined
    if (mode === 'broken') return response.writeHead(404).end()
    response.setHeader('content-type', 'application/json')
    if (mode === 'endless') return void response.write('{')
    const document = {
      client_id: mode === 'other id' ? 'https://other.example/' : `https://${request.headers.host}${request.url}`,
      client_name: 'Document <app>',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: mode === 'secret' ? 'client_secret_basic' : 'none',
      ...(mode === 'foreign' && foreign),
      ...(mode === 'device' && { redirect_uris: undefined, grant_types: [deviceGrant] }),
      ...(mode === 'large' && { padding: 'x'.repeat(6_000) }),
    }
    return response.end(JSON.stringify(document))
  })
  clientId = `${documents.origin}/ok`
  app = await startApp({ clientMetadataLoopback: true })
  await personWithPassword(app, 'robin')
})
beforeEach(() => {
  mode = 'ok'
})
afterAll(async () => {
  documents.close()
  await app.close()
})

const query = (id: string) =>
  new URLSearchParams({
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'post.get',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
    code_challenge_method: 'S256',
  })

/** The page that an application with this client id gets. */
const openAs = async (id: string, { origin } = app) =>
  headingOf(await new OAuthBrowser(origin).open(`${origin}/oauth/authorize?${query(id)}`))

describe('a client id that is the URL of metadata', () => {
  test('connects without registration, and shows the host that vouches for it', async () => {
    const { pages, exchange, config } = await authorize(app, clientId, 'robin')
    expect(pages.at(-1)?.text).toContain(`The application at <strong>${new URL(clientId).host}</strong>`)
    expect(headingOf(pages[1] ?? pages[0] ?? Object(null))).toBe('Connect Document <app>?')
    const { access_token } = await exchange()
    const { data } = await app.graphql(access_token, '{ viewer { username } }')
    expect(data).toEqual({ viewer: { username: 'robin' } })
    expect(config.clientMetadata().client_id).toBe(clientId)
  })

  test('may be of a document for all servers', async () => {
    mode = 'foreign'
    const { exchange } = await authorize(app, `${documents.origin}/foreign`, 'robin')
    expect(await exchange()).toMatchObject({ scope: 'post.get user.get', refresh_token: expect.any(String) })
  })

  test.each<Mode>(['redirect', 'large', 'other id', 'secret'])('is refused with metadata: %s', async (wrong) => {
    mode = wrong
    const before = fetched
    expect(await openAs(`${documents.origin}/${wrong.replace(' ', '-')}`)).toBe('Something went wrong')
    expect(fetched).toBe(before + 1)
  })

  test.each<Mode>(['slow', 'endless'])('is awaited until the deadline, with an answer that is %s', async (wrong) => {
    mode = wrong
    const signal = AbortSignal.timeout(50)
    await expect(safeFetch({ loopback: true })(clientId, { signal })).rejects.toThrow('timeout')
  })
})

describe('metadata is not fetched', () => {
  test('from this machine, unless that is configured', async () => {
    const strict = await startApp()
    const before = fetched
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await openAs(`https://${host}/client`, strict)).toBe('Something went wrong')
    expect(await openAs(clientId, strict)).toBe('Something went wrong')
    expect(fetched).toBe(before)
    await strict.close()
  })

  test('by http', async () => {
    expect(await openAs(clientId.replace('https', 'http'))).toBe('Something went wrong')
  })

  test('from a name that leads to addresses which are not public', async () => {
    await expect(safeFetch()('https://localhost/', {})).rejects.toThrow('which is not public')
  })

  test('from a name whose address changes: the one that was checked is the one that it connects to', async () => {
    const addresses = ['127.0.0.1', '127.0.0.1', '10.0.0.1']
    let asked = 0
    const changing = safeFetch({
      loopback: true,
      resolve: async () => {
        asked += 1
        return [{ address: addresses[asked - 1] ?? '', family: 4 }]
      },
    })
    const url = clientId.replace('127.0.0.1', 'changing.example')
    const outcomes = []
    for (const _ of addresses)
      outcomes.push(
        await changing(url, {}).then(
          ({ status }) => status,
          (error) => error.message,
        ),
      )
    expect(outcomes).toEqual([200, 200, expect.stringContaining('10.0.0.1, which is not public')])
    expect(asked).toBe(addresses.length)
  })

  test('while too many others are', async () => {
    mode = 'slow'
    const fetchSafely = safeFetch({ loopback: true })
    const signal = AbortSignal.timeout(300)
    const waiting = Array.from({ length: 6 }, () => fetchSafely(clientId, { signal }).catch(({ name }) => name))
    expect((await Promise.all(waiting)).toSorted()).toEqual([
      ...Array(2).fill('TemporarilyUnavailable'),
      ...Array(4).fill('TimeoutError'),
    ])
    mode = 'ok'
    await expect(fetchSafely(clientId)).rejects.toThrow('timeout')
    expect((await fetchSafely(clientId.replace('127.0.0.1', 'localhost'))).status).toBe(200)
  })

  test('while too many others of the same address are', async () => {
    mode = 'slow'
    let by = 'one'
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const fetchSafely = safeFetch({ loopback: true, resolve, requester: () => by })
    const signal = AbortSignal.timeout(300)
    const ask = (nth: number) =>
      fetchSafely(clientId.replace('127.0.0.1', `${nth}.example`), { signal }).catch(({ name }) => name)
    const ofOne = [1, 2, 3, 4, 5].map(ask)
    by = 'other'
    const ofOther = ask(6)
    expect(await Promise.all(ofOne)).toEqual([...Array(4).fill('TimeoutError'), 'TemporarilyUnavailable'])
    expect(await ofOther).toBe('TimeoutError')
  })

  test('again from a host that could not be reached, but again after an answer', async () => {
    const names: string[] = []
    const fetchSafely = safeFetch({
      loopback: true,
      resolve: async (name) => {
        names.push(name)
        if (name === 'gone.example') throw new Error('there is no such name')
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    for (let nth = 0; nth < 3; nth += 1)
      await expect(fetchSafely('https://gone.example/')).rejects.toThrow('there is no such name')
    mode = 'broken'
    const { port } = new URL(clientId)
    for (let nth = 0; nth < 2; nth += 1)
      expect((await fetchSafely(`https://there.example:${port}/${nth}`)).status).toBe(404)
    expect(names).toEqual(['gone.example', 'there.example', 'there.example'])
  })

  test('later because the addresses of one family are late', async () => {
    // Answers the A record only.
    const half = createSocket('udp4').on('message', (query, { port, address }) => {
      const end = query.indexOf(0, 12) + 5
      if (query.readUInt16BE(end - 4) !== 1) return
      const question = query.subarray(12, end)
      const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
      half.send(Buffer.concat([header, question, record]), port, address)
    })
    await new Promise<void>((done) => half.bind(0, '127.0.0.1', done))
    const resolve = resolver([`127.0.0.1:${half.address().port}`])
    const found = [{ address: '192.0.2.7', family: 4 }]
    const since = performance.now()
    expect(await resolve('half.example')).toEqual(found)
    expect(performance.now() - since).toBeLessThan(900)
    expect(await resolve('half.example', AbortSignal.timeout(100))).toEqual(found)
    half.close()
  })

  test('after its time, and holds no thread until then', async () => {
    const silent = createSocket('udp4')
    await new Promise<void>((done) => silent.bind(0, '127.0.0.1', done))
    const fetchSafely = safeFetch({ resolve: resolver([`127.0.0.1:${silent.address().port}`]) })
    const asked = Array.from({ length: 20 }, (_, nth) =>
      fetchSafely(`https://${nth}.example/`, { signal: AbortSignal.timeout(200) }).catch(({ name }) => name),
    )
    // Names that the system looks up wait for a thread.
    const since = performance.now()
    await lookup('localhost')
    expect(performance.now() - since).toBeLessThan(150)
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['TimeoutError']))
    silent.close()
  })

  test.each([
    ...['0.0.0.0', '10.1.1.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1', '224.0.0.1'],
    ...[
      '::',
      '::1',
      '::ffff:10.0.0.1',
      'fc00::1',
      'fe80::1',
      '64:ff9b::7f00:1',
      '2001:db8::1',
      '2002:7f00:1::',
      'text',
    ],
  ])('from %s', (address) => {
    expect(isPublic(address)).toBe(false)
  })

  test.each(['8.8.8.8', '193.0.6.139', '2606:4700::1111'])('but from %s', (address) => {
    expect(isPublic(address)).toBe(true)
  })
})

test('a document without redirect URIs connects by the device flow', async () => {
  mode = 'device'
  const id = `${documents.origin}/device`
  const ask = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: id, ...form })
    return Object(await (await fetch(`${app.origin}/oauth/${path}`, { method: 'POST', body })).json())
  }
  const { device_code, user_code, verification_uri } = await ask('device_authorization', { scope: 'post.get' })
  const browser = new OAuthBrowser(app.origin)
  const confirmation = await browser.submit(await browser.open(verification_uri), { user_code })
  const signIn = await browser.submit(confirmation, { confirm: 'yes' })
  const consent = await browser.submit(signIn, { username: 'robin', password })
  expect(headingOf(await browser.submit(consent, { answer: 'allow', scope: 'post.get' }))).toBe(
    'Your device is connected',
  )
  expect(await ask('token', { grant_type: deviceGrant, device_code })).toMatchObject({ scope: 'post.get' })
})

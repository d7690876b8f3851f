import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'

const names = (...values: readonly string[]) => ({ type: 'array', items: { enum: values } })
const closed = (required: readonly string[], properties: object) => ({
  ...{ type: 'object', additionalProperties: false, required, properties },
})
const count = { type: 'integer', minimum: 0 }
const text = { type: 'string' }

/** The rules of NodeInfo 2.1, besides that of its least number of protocols: none of those that it knows is spoken here. */
const isNodeInfo = new Ajv().compile(
  closed(['version', 'software', 'protocols', 'services', 'openRegistrations', 'usage', 'metadata'], {
    version: { const: '2.1' },
    software: closed(['name', 'version'], {
      name: { type: 'string', pattern: '^[a-z0-9-]+$' },
      ...{ version: text, repository: text, homepage: text },
    }),
    protocols: names('activitypub', 'diaspora', 'ostatus', 'pumpio', 'xmpp', 'zot'),
    services: closed(['inbound', 'outbound'], { inbound: names('atom1.0', 'rss2.0'), outbound: names('smtp') }),
    openRegistrations: { type: 'boolean' },
    usage: closed(['users'], {
      users: closed([], { total: count, activeHalfyear: count, activeMonth: count }),
      ...{ localPosts: count, localComments: count },
    }),
    metadata: { type: 'object' },
  }),
)

let app: TestApp
beforeAll(async () => {
  app = await startApp({
    publicUrl: 'https://nest.example/social',
    siteName: 'The Nest',
    contact: 'rooks@nest.example',
  })
})
afterAll(() => app.close())

const get = ({ origin }: TestApp, path: string) => fetch(origin + path)

describe('NodeInfo', () => {
  test('is found at the well-known path, by the public URL', async () => {
    const response = await get(app, '/.well-known/nodeinfo')
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(await response.json()).toEqual({
      links: [
        {
          rel: 'http://nodeinfo.diaspora.software/ns/schema/2.1',
          href: 'https://nest.example/social/nodeinfo/2.1',
        },
      ],
    })
  })

  test('follows its schema, and says what the server says of itself', async () => {
    await app.person()
    const response = await get(app, '/nodeinfo/2.1')
    expect(response.headers.get('content-type')).toBe(
      'application/json; profile="http://nodeinfo.diaspora.software/ns/schema/2.1#"',
    )
    const document = await response.json()
    isNodeInfo(document)
    expect(isNodeInfo.errors).toBeNull()
    expect(document).toMatchObject({
      software: { name: 'rookery' },
      openRegistrations: true,
      usage: { users: { total: 1 }, localPosts: 0 },
      metadata: { nodeName: 'The Nest', contact: 'rooks@nest.example' },
    })
  })

  test('says that sign-up is closed, and takes no other method than GET', async () => {
    const other = await startApp(admitting({ signUp: 'closed' }), sharing(app))
    expect(await (await get(other, '/nodeinfo/2.1')).json()).toMatchObject({ openRegistrations: false })
    expect((await fetch(`${other.origin}/nodeinfo/2.1`, { method: 'POST' })).status).toBe(405)
    await other.close()
  })

  test('is removed by a setting', async () => {
    const off = await startApp({ nodeinfo: false }, sharing(app))
    for (const path of ['/.well-known/nodeinfo', '/nodeinfo/2.1']) expect((await get(off, path)).status).toBe(404)
    await off.close()
  })
})

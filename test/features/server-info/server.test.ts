import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../../src/engine/package.ts'
import { longestRules } from '../../../src/features/server-info/settings.ts'
import { ConfigError } from '../../../src/server/config.ts'
import { readRules } from '../../../src/server/rules-file.ts'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'

const rules = '1. Be **kind**.\n2. Name your sources.\n'
const source = `{ server { name description rules contact version signUp languages features limits { contentLength maxPageSize }
  accountEstimate publicationEstimate } }`

let plain: TestApp
let nest: TestApp
beforeAll(async () => {
  plain = await startApp()
  nest = await startApp(
    {
      siteName: 'The Nest',
      siteDescription: 'For all who watch rooks.',
      siteLanguages: ['nl', 'en-GB'],
      contact: 'rooks@nest.example',
      rules,
      ...admitting({ signUp: 'closed', invitations: 'moderators' }),
      graphiql: false,
      mcp: false,
      introspection: false,
      clientRegistration: true,
      onlyTrustedDocuments: false,
      authenticators: undefined,
    },
    sharing(plain),
  )
})
afterAll(async () => {
  await nest.close()
  await plain.close()
})

describe('without a token', () => {
  test('a server says nothing that its operator has not set', async () => {
    const { data, errors } = await plain.graphql(undefined, source)
    expect(errors).toEqual([])
    expect(data).toEqual({
      server: {
        ...{ name: 'Rookery', description: null, rules: null, contact: null, version, signUp: 'OPEN', languages: [] },
        features: ['ANY_DOCUMENT', 'GRAPHIQL', 'INTROSPECTION', 'MCP', 'MEMBER_INVITATIONS', 'SECOND_FACTOR'],
        limits: { contentLength: 500, maxPageSize: 100 },
        accountEstimate: 0,
        publicationEstimate: 0,
      },
    })
  })

  test('a server says what its operator has set, alike in both APIs', async () => {
    const { data } = await nest.graphql(undefined, source)
    expect(data).toMatchObject({
      server: {
        ...{ name: 'The Nest', description: 'For all who watch rooks.', rules, contact: 'rooks@nest.example' },
        ...{ signUp: 'CLOSED', languages: ['nl', 'en-GB'], features: ['ANY_DOCUMENT', 'CLIENT_REGISTRATION'] },
      },
    })
    const response = await nest.rest(undefined, 'GET', '/server')
    expect(await response.json()).toMatchObject({
      ...{ name: 'The Nest', description: 'For all who watch rooks.', rules, contact: 'rooks@nest.example', version },
      ...{ sign_up: 'closed', languages: ['nl', 'en-GB'], features: ['any_document', 'client_registration'] },
      limits: { content_length: 500, max_page_size: 100 },
    })
  })

  test('it runs no statement but that of the estimates, once in a minute', async () => {
    const own = await startApp({}, sharing(plain))
    const without = source.replace(/accountEstimate.*publicationEstimate/s, '').replace(/\n.*$/s, ' } }')
    expect(await own.statementsOf(() => own.graphql(undefined, without))).toEqual([])
    await own.graphql(undefined, source)
    expect(await own.statementsOf(() => own.graphql(undefined, source))).toEqual([])
    await own.close()
  })
})

describe('over REST', () => {
  test('any cache may keep the response for a minute, and revalidate it, whoever asked', async () => {
    const ada = await plain.person()
    const [nobody, somebody, unknown] = await Promise.all(
      [undefined, ada.token, `rookery_${'A'.repeat(43)}`].map((token) => plain.rest(token, 'GET', '/server')),
    )
    for (const response of [nobody, somebody, unknown]) {
      expect(response?.status).toBe(200)
      expect(response?.headers.get('cache-control')).toBe('public, max-age=60')
      expect(response?.headers.get('vary')).toBe('accept-encoding')
      expect(response?.headers.get('etag')).toBe(nobody?.headers.get('etag'))
    }
    const etag = nobody?.headers.get('etag') ?? ''
    const again = await plain.rest(ada.token, 'GET', '/server', undefined, { 'if-none-match': etag })
    expect(again.status).toBe(304)
    expect(again.headers.get('cache-control')).toBe('public, max-age=60')
  })
})

describe('the estimates', () => {
  test('count a few rows, and estimate more than a thousand within a tenth', async () => {
    const app = await startApp()
    const estimates = async () => {
      const fresh = await startApp({}, sharing(app))
      const { data } = await fresh.graphql(undefined, '{ server { accountEstimate publicationEstimate } }')
      await fresh.close()
      return Object(data).server
    }
    const { id } = await app.person()
    const send = (first: number, last: number) => app.database.write.prisma.$executeRaw`
      insert into publications (id, author_id, content, tokens)
      select gen_random_uuid(), ${id}::uuid, 'Number ' || i, '' from generate_series(${first}::int, ${last}::int) i`
    await send(1, 999)
    await app.database.write.prisma
      .$executeRaw`update publications set deleted_at = now(), content = '' where content = 'Number 7'`
    expect(await estimates()).toEqual({ accountEstimate: 1, publicationEstimate: 998 })
    await send(1_000, 5_000)
    const { publicationEstimate } = await estimates()
    expect(publicationEstimate).toBeGreaterThan(4_500)
    expect(publicationEstimate).toBeLessThan(5_500)
    await app.close()
  })
})

describe('a file with rules', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rookery-rules-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const read = async (content: string | Uint8Array) => {
    const file = join(folder, 'rules.md')
    await writeFile(file, content)
    return readRules(file)
  }

  test('is read as it is, without the mark of UTF-8', async () => {
    expect(await readRules(undefined)).toBeUndefined()
    expect(await read(rules)).toBe(rules)
    expect(await read(`\ufeff${rules}`)).toBe(rules)
    const longest = 'a'.repeat(longestRules)
    expect(await read(longest)).toBe(longest)
  })

  test.each([
    ['is too long', 'a'.repeat(longestRules + 1), `the file must have at most ${longestRules} bytes.`],
    ['is not UTF-8', Uint8Array.of(0x61, 0xff), 'the file must be UTF-8.'],
    ['is blank', ' \n', 'the file must not be blank.'],
    ['has control characters', 'a\0b', 'the file must not contain control characters other than tab and line breaks.'],
  ])('is refused if it %s', async (_what, content, message) => {
    const refused = read(content)
    await expect(refused).rejects.toThrow(ConfigError)
    await expect(refused).rejects.toThrow(`RULES_FILE is ${JSON.stringify(join(folder, 'rules.md'))}; ${message}`)
  })

  test.each([['missing.md'], ['.']])('is refused if it cannot be read: %s', async (name) => {
    await expect(readRules(join(folder, name))).rejects.toThrow(/^RULES_FILE is ".*"; it cannot be read: .*\.$/)
  })
})

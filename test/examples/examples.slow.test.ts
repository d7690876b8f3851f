import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { startDatabaseProxy } from '../support/database/proxy.ts'
import { createFolder } from '../support/folder.ts'
import { publish } from '../support/graphql/publish.ts'
import { password } from '../support/graphql/sign-in.ts'
import { OAuthBrowser, scopesOffered } from '../support/oauth/browser.ts'
import { fixedClient, personWithPassword } from '../support/oauth/client.ts'
import { runExample, startExample } from '../support/processes/example.ts'

const names = ['timeline', 'paging', 'live', 'rest', 'bot', 'agent'] as const
const rule = '─'.repeat(80)
const uuid = '[0-9a-f-]{36}'

const { folder, remove } = createFolder()
let app: TestApp
let ada: Person
let env: { ROOKERY_URL: string; ROOKERY_TOKEN: string }

beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  const bob = await app.person('bob')
  expect((await app.rest(ada.token, 'POST', '/user/@bob/follow')).status).toBe(200)
  for (let number = 1; number <= 7; number += 1) await publish(app, bob, { content: `Post ${number}` })
  const long = await publish(app, bob)
  // Control characters are refused, but older rows may contain them.
  const content = `${'Lorem ipsum '.repeat(10)}\u001b[2J\u202eend`
  await app.database.write.prisma.publication.update({ where: { id: long }, data: { content } })
  const reply = await publish(app, ada, { content: 'A reply', parent: long })
  await publish(app, bob, { content: 'A reply to the reply', parent: reply })
  for (const content of ['Second', 'Third']) await publish(app, bob, { content, parent: long })
  expect((await app.rest(ada.token, 'POST', `/post/${long}/like`)).status).toBe(200)
  env = { ROOKERY_URL: app.origin, ROOKERY_TOKEN: ada.token }
})
afterAll(async () => {
  await app.close()
  await remove()
})

test('the timeline prints threads with indented replies', async () => {
  const { code, stdout, stderr } = await runExample('timeline', env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [title, first, ...others] = stdout.trimEnd().split(`\n${rule}\n`)
  expect(title).toBe('Home timeline of @ada')
  const now = expect.stringMatching(/· now|· \d+ seconds? ago$/)
  expect(first?.split('\n')).toEqual([
    now,
    'Lorem ipsum Lorem ipsum Lorem ipsum Lorem ipsum Lorem ipsum Lorem ipsum Lorem',
    'ipsum Lorem ipsum Lorem ipsum Lorem ipsum [2J end',
    '♥ 1  ↳ 3',
    '│',
    now,
    '│ A reply',
    '│ ♡ 0  ↳ 1',
    '│ │',
    now,
    '│ │ A reply to the reply',
    '│ │ ♡ 0  ↳ 0',
    '│',
    now,
    '│ Second',
    '│ ♡ 0  ↳ 0',
    '│ … and 1 more',
  ])
  expect(first?.split('\n')[0]).toMatch(/^bob @bob · /)
  expect(first?.split('\n')[9]).toMatch(/^│ │ bob @bob · /)
  expect(others.map((thread) => thread.split('\n')[1])).toEqual(['Post 7', 'Post 6', 'Post 5', 'Post 4'])
})

describe('paging', () => {
  const firstItems = (stdout: string) => stdout.split('\n').flatMap((line) => /^page.*@.*$/.exec(line) ?? [])

  test('reads to the end, one page at a time', async () => {
    const { code, stdout, stderr } = await runExample('paging', env, ['--size', '3'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^page {3}1 {10}1–3 {2}@bob {12} {2}Lorem ipsum .*…$/),
      expect.stringMatching(/^page {3}2 {10}4–6 {2}@bob {12} {2}Post 5$/),
      expect.stringMatching(/^page {3}3 {10}7–8 {2}@bob {12} {2}Post 2$/),
      '8 posts in 3 pages, and that is all.',
      '',
    ])
  })

  test('stops at the requested number and requests no more', async () => {
    const { stdout } = await runExample('paging', env, ['--size', '3', '--count', '4'])
    expect(firstItems(stdout)).toHaveLength(2)
    expect(stdout).toContain('         4–4  ')
    expect(stdout).toContain('4 posts in 2 pages; more follow.')
  })

  test('ends quietly when nobody reads on', async () => {
    const file = new URL('../../examples/dist/paging.js', import.meta.url).pathname
    const args = ['-c', '"$0" "$1" --size 1 | head -n 1', process.execPath, file]
    const { stdout, stderr } = await promisify(execFile)('sh', args, { env })
    expect([firstItems(stdout), stderr]).toEqual([[expect.any(String)], ''])
  })

  test('ends immediately for an empty list', async () => {
    const empty = await startApp()
    const { token } = await empty.person('cyd')
    const { stdout } = await runExample('paging', { ROOKERY_URL: empty.origin, ROOKERY_TOKEN: token })
    await empty.close()
    expect(stdout).toBe('0 posts in 1 page, and that is all.\n')
  })

  test.each([
    [['--size', '101'], '--size has to be a whole number from 1 to 100.'],
    [['--count', '1e3'], '--count has to be a whole number from 1 to 1000000.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', async (args, message) => {
    const outcome = await runExample('paging', env, args)
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(outcome.stderr).not.toContain('    at ')
  })
})

test('the REST example prints each request, handles errors, and cleans up', async () => {
  const counts = z.object({ data: z.object({ publicTimeline: z.object({ nodes: z.array(z.object({})) }) }) })
  const posts = async () =>
    counts.parse(await app.graphql(ada.token, '{ publicTimeline(first: 100) { nodes { uuid } } }')).data.publicTimeline
  const before = await posts()
  const { code, stdout, stderr } = await runExample('rest', env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const requests = stdout.split('\n').flatMap((line) => /^(\d{3} .*)$/.exec(line)?.[1]?.replace(/ +/g, ' ') ?? [])
  const exactly = (pattern: string) => expect.stringMatching(new RegExp(`^${pattern}$`))
  expect(requests).toEqual([
    '200 GET /api/v1/user',
    exactly(`200 GET /api/v1/user/${uuid}/following\\?limit=3`),
    '200 GET /api/v1/user/@bob/posts/1?limit=2',
    '200 POST /api/v1/post',
    exactly(`200 POST /api/v1/post/${uuid}/like`),
    '200 POST /api/v1/reply',
    exactly(`200 GET /api/v1/post/${uuid}/replies/1`),
    '422 POST /api/v1/reply',
    exactly(`200 DELETE /api/v1/reply/${uuid}`),
    exactly(`200 DELETE /api/v1/post/${uuid}`),
    exactly(`404 GET /api/v1/post/${uuid}`),
  ])
  for (const line of ['It is liked.', '♥ 1  ↳ 1', '│ @ada: And hello again.', 'VALIDATION_FAILED', 'NOT_FOUND']) {
    expect(stdout).toContain(line)
  }
  expect(stdout).toMatch(/VALIDATION_FAILED .*\n {10}content: must not be blank\n/)
  expect(await posts()).toEqual(before)
})

test('the live example prints changes, and after a cut those that it has missed', async () => {
  const proxy = await startDatabaseProxy(app.origin)
  const { child, output, ended } = startExample('live', { ...env, ROOKERY_URL: proxy.url })
  const printed = (text: string) => expect.poll(() => output.stdout).toContain(text)
  await printed('Changes for @ada\n')
  await publish(app, ada, { content: 'Live' })
  await printed('@ada            published  Live\n')
  proxy.hangUp()
  await publish(app, ada, { content: 'Missed' })
  await printed('The connection was cut.')
  proxy.back()
  await printed('@ada            published  Missed\n')
  expect(output.stdout.split('Live')).toHaveLength(2)
  child.kill()
  await ended
  await proxy.close()
})

test('the agent finds a field, checks a query and runs it', async () => {
  const { code, stdout, stderr } = await runExample('agent', env, ['home', 'timeline'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Tools: search_schema, check_operation, query, mutate\n\nsearch_schema\n/)
  expect(stdout).toContain('\nQuery.homeTimeline(')
  expect(stdout).toMatch(/\ncheck_operation\n\{"kind":"query","points":\d+/)
  expect(stdout).toContain('\nquery\n{"data":{"homeTimeline":')
})

describe('with a client id', () => {
  let robin: Person
  beforeAll(async () => {
    robin = await personWithPassword(app, 'robin')
  })

  /** Starts an example, signs in with the code that it shows, and waits for what it prints then. */
  async function signedIn(name: (typeof names)[number] | 'connect', printed: string | RegExp): Promise<string> {
    const clientId = await fixedClient(app, robin, { name, deviceFlow: true })
    const settings = { ROOKERY_URL: app.origin, ROOKERY_CLIENT_ID: clientId }
    const { child, output, ended } = startExample(name, settings, name === 'bot' ? [join(folder, 'place.txt')] : [])
    await expect.poll(() => output.stderr, { timeout: 10_000 }).toMatch(/^Open .* and enter .*\n/)
    const [, url = '', user_code = ''] = /^Open (.*) and enter (.*)\n/.exec(output.stderr) ?? []
    const browser = new OAuthBrowser(app.origin)
    const confirmation = await browser.submit(await browser.open(url), { user_code })
    const page = await browser.submit(confirmation, { confirm: 'yes' })
    const consent = await browser.submit(page, { username: 'robin', password })
    await browser.submit(consent, { answer: 'allow', scope: scopesOffered(consent) })
    await expect.poll(() => output.stdout, { timeout: 20_000, message: output.stderr }).toMatch(printed)
    child.kill()
    await ended
    return output.stdout
  }

  test('all sign in by a code, and get the scopes that they need', async () => {
    const [token = ''] = await Promise.all([
      signedIn('connect', /^rookery_/),
      signedIn('timeline', 'Home timeline of @robin'),
      signedIn('paging', 'and that is all'),
      signedIn('rest', 'NOT_FOUND'),
      signedIn('live', 'Changes for @robin'),
      signedIn('bot', 'Answering mentions of robin'),
      signedIn('agent', 'query\n{"data":{"homeTimeline":'),
    ])
    expect((await app.graphql(token.trim(), '{ viewer { username } }')).data).toEqual({ viewer: { username: 'robin' } })
  })

  test('of nobody, they say so', async () => {
    const outcome = await runExample('rest', { ROOKERY_URL: app.origin, ROOKERY_CLIENT_ID: crypto.randomUUID() })
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The server refused the request: client authentication failed\n',
    })
  })
})

describe.each(names)('%s', (name) => {
  test('explains why it cannot start', async () => {
    const [missing, rejected, narrow] = await Promise.all([
      runExample(name, { ROOKERY_URL: app.origin }),
      runExample(name, { ...env, ROOKERY_TOKEN: 'rookery_none' }),
      runExample(name, { ...env, ROOKERY_TOKEN: await app.token(ada, ['user.follow']) }),
    ])
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^There is no token\. .*ROOKERY_TOKEN.*\n$/),
    })
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The server rejects ROOKERY_TOKEN: .*\n$/),
    })
    expect(narrow.stderr).toMatch(/^The server rejects ROOKERY_TOKEN: .*\b(?:post|user)\.get\b.*\n$/)
  })
})

test.each(['http://127.0.0.1:1', 'nowhere', 'ftp://127.0.0.1'])(
  'an example reports that there is no server at %s',
  async (url) => {
    const { code, stdout, stderr } = await runExample('rest', { ...env, ROOKERY_URL: url })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining('ROOKERY_URL')])
    expect(stderr).toContain(url)
  },
)

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { ids, settle } from '../../support/networks/small-network.ts'
import { readAnswer, refused } from '../../support/rest/answer.ts'

const owner = { id: ids.ada, username: 'Ada', token: '' }
let app: TestApp
let ada: string
let bob: string
let withoutEmail: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token(owner, scopes)
  bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, scopes)
  withoutEmail = await app.token(
    owner,
    scopes.filter((scope) => scope !== 'user.email'),
  )
})
afterAll(() => app.close())

const paths = [
  ...[ids.adaPost, ids.bobPost, ids.adaReply, ids.bobReply, ids.bobNested, ids.adaOrphan].map((id) => `/post/${id}`),
  ...[ids.adaReply, ids.bobReply, ids.bobNested, ids.adaOrphan].map((id) => `/reply/${id}`),
  ...['/user', '/user/@Ada', `/user/${ids.bob}`, `/user/${ids.cyd}`],
]
/** Whether the same is read by another path, or with another token of its viewer, too. */
const isAlias = (resource: string) =>
  resource === `bob /user/${ids.bob}` || /\/user\/@Ada$|^withoutEmail (?!\/user$)/.test(resource)
const get = async (bearer: string, path: string, ifNoneMatch?: string, method = 'GET') =>
  app.rest(bearer, method, path, undefined, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch })
const tagOf = async (bearer: string, path: string) => (await get(bearer, path)).headers.get('etag') ?? ''

type State = { readonly tag: string | null; readonly body: string }
async function states(): Promise<ReadonlyMap<string, State>> {
  const found = Object.entries({ ada, bob, withoutEmail }).flatMap(([viewer, bearer]) =>
    paths.map(async (path): Promise<[string, State][]> => {
      const response = await get(bearer, path)
      const state = { tag: response.headers.get('etag'), body: await response.text() }
      return response.ok ? [[`${viewer} ${path}`, state]] : []
    }),
  )
  return new Map((await Promise.all(found)).flat())
}

const rest =
  (bearer: () => string, method: string, path: string, body?: object): (() => Promise<unknown>) =>
  async () =>
    expect((await app.rest(bearer(), method, path, body)).status).toBe(200)
const graphql = (document: string) => async () => expect((await app.graphql(ada, document)).errors).toEqual([])
const statement = (sql: string) => async () => expect(await app.database.write.prisma.$executeRawUnsafe(sql)).toBe(1)
const asAda = () => ada
const asBob = () => bob

/** Everything that changes a resource, in an order in which each write changes one. */
const writes: Readonly<Record<string, () => Promise<unknown>>> = {
  'a like': rest(asAda, 'POST', `/post/${ids.adaPost}/like`),
  'a like of a reply': rest(asBob, 'PUT', `/like/${ids.bobReply}`),
  'the end of a like': rest(asAda, 'POST', `/post/${ids.adaPost}/like`),
  'a follow': rest(asAda, 'POST', `/user/${ids.bob}/follow`),
  'the end of a follow': rest(asAda, 'POST', `/user/${ids.bob}/follow`),
  'an edit of the content': rest(asAda, 'PATCH', `/post/${ids.adaPost}`, { content: 'Edited' }),
  'an edit of a reply': rest(asAda, 'PATCH', `/reply/${ids.adaReply}`, { content: 'Edited' }),
  'a lock': rest(asAda, 'PATCH', `/post/${ids.adaPost}`, { locked: true }),
  'a reply': rest(asAda, 'POST', '/reply', { parent: ids.adaPost, content: 'New' }),
  'a reply to a reply': rest(asBob, 'POST', '/reply', { parent: ids.bobReply, content: 'New' }),
  'a new display name': graphql('mutation { updateProfile(input: { displayName: "A." }) { viewer { uuid } } }'),
  'a new biography': graphql('mutation { updateProfile(input: { bio: "" }) { viewer { uuid } } }'),
  'a new e-mail address': statement(`update users set email = 'new@example.org' where id = '${ids.ada}'`),
  'a verified e-mail address': statement(`update users set email_verified = false where id = '${ids.ada}'`),
  'a badge': statement(`insert into user_badges values ('${ids.bob}', '${ids.early}')`),
  'the end of a badge': statement(
    `delete from user_badges where user_id = '${ids.ada}' and badge_id = '${ids.founder}'`,
  ),
  'a new name of a badge': statement(`update badges set name = 'Earliest' where id = '${ids.early}'`),
  'a new name of an application': statement(`update applications set name = 'Shuttle' where id = '${ids.loom}'`),
  'a new website': statement(`update applications set website = null where id = '${ids.loom}'`),
  'the end of an application': statement(`update publications set application_id = null where id = '${ids.adaPost}'`),
  'the deletion of a nested reply': rest(asBob, 'DELETE', `/reply/${ids.bobNested}`),
  'the deletion of a parent': rest(asAda, 'DELETE', `/post/${ids.adaPost}`),
}

describe('an entity tag', () => {
  test('changes whenever the response changes, for every viewer', async () => {
    let before = await states()
    for (const [name, write] of Object.entries(writes)) {
      await write()
      const after = await states()
      const changed = [...after].filter(([resource, { body }]) => body !== before.get(resource)?.body)
      const kept = changed.filter(([resource, { tag }]) => tag === before.get(resource)?.tag)
      expect([name, kept.map(([resource]) => resource)]).toEqual([name, []])
      expect([name, changed.length > 0]).toEqual([name, true])
      before = after
    }
  })

  test('stays while nothing changes, and is not that of another resource or viewer', async () => {
    const first = await states()
    expect(await states()).toEqual(first)
    const tags = [...first].filter(([resource]) => !isAlias(resource)).map(([, { tag }]) => tag)
    expect(new Set(tags).size).toBe(tags.length)
  })

  test('changes with what avatars are derived from', async () => {
    const other = await startApp({ avatar: 'identicon' }, sharing(app))
    const { headers } = await other.rest(ada, 'GET', '/user')
    await other.close()
    expect(headers.get('etag')).not.toBe(await tagOf(ada, '/user'))
  })

  test.each([
    ['POST', '/post', { content: 'New' }],
    ['POST', '/reply', { content: 'New', parent: ids.adaPost }],
    ['PATCH', `/post/${ids.adaPost}`, { content: 'Edited' }],
    ['PATCH', `/post/${ids.adaReply}`, { content: 'Edited' }],
    ['PATCH', `/reply/${ids.adaReply}`, { content: 'Edited' }],
  ])('of the response to %s %s is that of reading the same', async (method, path, body) => {
    const response = await app.rest(ada, method, path, body)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { uuid }: { uuid: string } = JSON.parse(await response.text())
    expect(response.headers.get('etag')).toBe(await tagOf(ada, `/${path.split('/')[1]}/${uuid}`))
  })

  test('is the same for HEAD, and absent from lists', async () => {
    const path = `/reply/${ids.bobReply}`
    expect((await get(bob, path, undefined, 'HEAD')).headers.get('etag')).toBe(await tagOf(bob, path))
    for (const list of [`/post/${ids.adaPost}/replies/1`, '/user/@Ada/posts/1', '/user/@Ada/followers']) {
      const { headers } = await get(bob, list)
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store'])
    }
  })
})

describe('If-None-Match', () => {
  test.each([
    [`/post/${ids.adaPost}`, 'V26.07.22'],
    [`/post/${ids.bobReply}`, 'V26.07.22'],
    [`/reply/${ids.bobReply}`, 'V26.05.28'],
    ['/user', 'V26.07.22'],
    ['/user/@bob', 'V26.07.22'],
  ])('lets %s respond with 304 and the same headers while it is unchanged', async (path, version) => {
    const { headers } = await get(ada, path)
    const tag = headers.get('etag') ?? ''
    for (const value of [tag, `W/${tag}`, '*', `"a,b", ${tag}`, ` ,"", W/"x" ,\t${tag} , `]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await get(ada, path, value, method)
        expect([value, response.status, await response.text()]).toEqual([value, 304, ''])
        expect(Object.fromEntries(response.headers)).toMatchObject({
          etag: tag,
          vary: 'Authorization, accept-encoding',
          'cache-control': 'private, no-cache',
          'api-version': version,
          'access-control-expose-headers': expect.stringContaining('ETag'),
        })
        expect(response.headers.get('content-length')).toBeNull()
      }
    }
    for (const value of ['"x"', `${tag.slice(0, -1)}x"`, 'W/"x", "y"']) {
      expect((await get(ada, path, value)).status).toBe(200)
    }
  })

  test.each(['x', '"', '"x" "y"', '*, "x"', 'w/"x"', '"x', ',', ''])('is refused if it is %j', async (value) => {
    const path = `/post/${ids.adaPost}`
    const answer = await readAnswer(await get(ada, path, value))
    expect(value === '' ? answer.status : answer).toEqual(value === '' ? 400 : refused('V26.07.22', 'BAD_REQUEST'))
  })

  test('does not hide that a resource is gone or forbidden', async () => {
    expect((await get(ada, `/post/${ids.adaGone}`, '*')).status).toBe(404)
    expect((await get('rookery_x', `/post/${ids.adaPost}`, '*')).status).toBe(401)
    const narrow = await app.token(owner, ['user.get'])
    expect((await get(narrow, `/post/${ids.adaPost}`, '*')).status).toBe(403)
  })
})

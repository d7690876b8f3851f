import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/engine/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
let post: string
let reply: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada)
  reply = await publish(app, ada, { parent: post })
})
afterAll(() => app.close())

const missing = '01900000-0000-7000-8000-000000000000'
const stored = async () => ({
  publications: await app.database.write.prisma.publication.findMany({ orderBy: { id: 'asc' } }),
  likes: await app.database.write.prisma.like.count(),
})

describe('a token for either posts or replies', () => {
  const mutation = (text: string) => `mutation { ${text} }`
  const writes: [string, Scope[], Scope[], (uuid: string) => string][] = [
    [
      'updatePost',
      ['post.edit'],
      ['reply.edit'],
      (uuid) => `updatePost(input: { uuid: "${uuid}", locked: true }) { publication { uuid } }`,
    ],
    [
      'deletePost',
      ['post.delete'],
      ['reply.delete'],
      (uuid) => `deletePost(input: { uuid: "${uuid}" }) { publication { uuid } }`,
    ],
    ['toggleLike', ['post.like'], ['reply.like'], (uuid) => `toggleLike(input: { uuid: "${uuid}" }) { action }`],
    ['setLike', ['post.like'], ['reply.like'], (uuid) => `setLike(input: { uuid: "${uuid}", liked: true }) { action }`],
  ]

  test.each(writes)('does not permit writes to the other type: %s', async (_name, ofPosts, ofReplies, source) => {
    const before = await stored()
    for (const [token, uuid, set] of [
      [await app.token(ada, ['post.get', ...ofPosts]), reply, ['reply.get', ...ofReplies]],
      [await app.token(ada, ['reply.get', ...ofReplies]), post, ['post.get', ...ofPosts]],
    ] as const) {
      const { errors } = await app.graphql(token, mutation(source(uuid)))
      const requiredScopes = [set.map((scope) => scope.toUpperCase().replaceAll('.', '_'))]
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes } }])
    }
    expect(await stored()).toEqual(before)
  })

  test('does not permit sending the other type', async () => {
    const before = await stored()
    const send = (parent: string) => mutation(`sendPost(input: { content: "Hi" ${parent} }) { publication { uuid } }`)
    const posts = await app.graphql(await app.token(ada, ['post.get', 'post.send']), send(`parent: "${post}"`))
    expect(posts.errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET', 'REPLY_POST']] } },
    ])
    const replies = await app.graphql(await app.token(ada, ['reply.get', 'reply.post']), send(''))
    expect(replies.errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['POST_GET', 'POST_SEND']] } },
    ])
    expect(await stored()).toEqual(before)
  })

  test('permits reading its own type only', async () => {
    const read = '{ post: post(uuid: "POST") { uuid } reply: post(uuid: "REPLY") { uuid } }'
      .replace('POST', post)
      .replace('REPLY', reply)
    expect(await app.graphql(await app.token(ada, ['post.get']), read)).toMatchObject({
      data: { post: { uuid: post }, reply: null },
      errors: [{ path: ['reply'], extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET']] } }],
    })
    expect(await app.graphql(await app.token(ada, ['reply.get']), read)).toMatchObject({
      data: { post: null, reply: { uuid: reply } },
      errors: [{ path: ['post'], extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['POST_GET']] } }],
    })
  })
})

test('publications are refused together when the token does not permit the kind of one', async () => {
  const read = 'query ($uuids: [UUID!]!) { publications(uuids: $uuids) { uuid } }'
  const token = await app.token(ada, ['post.get'])
  expect(await app.graphql(token, read, { uuids: [post, missing] })).toMatchObject({
    data: { publications: [{ uuid: post }, null] },
    errors: [],
  })
  expect(await app.graphql(token, read, { uuids: [post, reply] })).toMatchObject({
    data: null,
    errors: [{ path: ['publications'], extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET']] } }],
  })
})

describe('node checks the scopes of the type in the id before it looks anything up', () => {
  test.each<[string, Scope[], string[][]]>([
    ['Post', ['post.get'], [['POST_GET']]],
    ['Reply', ['reply.get'], [['REPLY_GET']]],
    ['User', ['user.get'], [['USER_GET']]],
    ['AccessToken', ['account.manage'], [['ACCOUNT_MANAGE']]],
  ])('%s', async (type, enough, requiredScopes) => {
    const others: Scope[] = ['post.get', 'reply.get', 'user.get', 'account.manage']
    const token = await app.token(
      ada,
      others.filter((scope) => !enough.includes(scope)),
    )
    await app.graphql(token, '{ __typename }')
    const ids = [globalIdOf(type, missing), globalIdOf(type, type === 'Reply' ? reply : post)]
    const statements = await app.statementsOf(async () => {
      for (const id of ids) {
        for (const source of [
          'query ($id: ID!) { node(id: $id) { id } }',
          'query ($id: ID!) { nodes(ids: [$id]) { id } }',
        ]) {
          const { data, errors } = await app.graphql(token, source, { id })
          expect(data).toBeUndefined()
          expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes } }])
        }
      }
    })
    expect(statements).toEqual([])
    const { data, errors } = await app.graphql(
      await app.token(ada, enough),
      '{ node(id: "ID") { id } }'.replace('ID', ids[0] ?? ''),
    )
    expect({ data, errors }).toEqual({ data: { node: null }, errors: [] })
  })

  test('one id without permission refuses all ids', async () => {
    const token = await app.token(ada, ['user.get', 'post.get'])
    const ids = [globalIdOf('User', ada.id), globalIdOf('Reply', reply), globalIdOf('Post', post)]
    const { data, errors } = await app.graphql(token, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET']] } }])
  })

  test('deleted objects, other types and tokens of other owners are null', async () => {
    const gone = await publish(app, ada)
    await app.graphql(ada.token, `mutation { deletePost(input: { uuid: "${gone}" }) { publication { uuid } } }`)
    const bob = await app.person('bob')
    const [token] = await app.database.write.prisma.accessToken.findMany({ where: { userId: bob.id } })
    const ids = [
      globalIdOf('Post', gone),
      globalIdOf('Post', reply),
      globalIdOf('Reply', post),
      globalIdOf('AccessToken', token?.id ?? ''),
      globalIdOf('User', ada.id),
    ]
    const { data, errors } = await app.graphql(ada.token, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect({ data, errors }).toEqual({ data: { nodes: [null, null, null, null, { id: ids[4] }] }, errors: [] })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'

const missing = '01900000-0000-7000-8000-000000000000'
const publications = 'query ($uuids: [UUID!]!) { publications(uuids: $uuids) { __typename uuid } }'
const users = 'query ($by: [UserBy!]!) { users(by: $by) { username } }'

let app: TestApp
let ada: Person
let bob: Person
let post: string
let reply: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('Ada')
  bob = await app.person('bob')
  post = await publish(app, bob)
  reply = await publish(app, ada, { parent: post })
})
afterAll(() => app.close())

describe.each([
  ['users', users, 'by', (): unknown => ({ username: 'ada' })],
  ['publications', publications, 'uuids', (): unknown => post],
] as const)('%s', (name, source, argument, item) => {
  const many = (count: number) => ({ [argument]: Array.from({ length: count }, item) })

  test('finds nothing for an empty list, and at most 100 at once', async () => {
    const none = await app.graphql(ada.token, source, many(0))
    expect(none).toMatchObject({ data: { [name]: [] }, errors: [] })
    const most = await app.graphql(ada.token, source, many(100))
    expect(most).toMatchObject({ data: { [name]: { length: 100 } }, errors: [] })
    const { data, errors } = await app.graphql(ada.token, source, many(101))
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [{ field: argument, message: 'must have at most 100 elements' }],
        },
      },
    ])
  })
})

test('a hundred requests at once find their own publications', async () => {
  const lists = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? [post, missing] : [missing, reply, post]))
  const answers = await Promise.all(lists.map((uuids) => app.graphql(ada.token, publications, { uuids })))
  expect(answers.map(({ data }) => data)).toEqual(
    lists.map((uuids) => ({
      publications: uuids.map((uuid) =>
        uuid === missing ? null : { __typename: uuid === post ? 'Post' : 'Reply', uuid },
      ),
    })),
  )
})

describe('likes', () => {
  beforeAll(async () => {
    post = await publish(app, ada)
    await setLike(ada, post)
    await setLike(bob, post)
  })

  const setLike = (person: Person, uuid: string, liked = true) =>
    app.graphql(person.token, `mutation { setLike(input: { uuid: "${uuid}", liked: ${liked} }) { action } }`)
  const likers = async (uuid: string) => {
    const { data } = await app.graphql(ada.token, `{ post(uuid: "${uuid}") { likers { nodes { username } } } }`)
    return data
  }
  const named = (...usernames: string[]) => ({
    post: { likers: { nodes: usernames.map((username) => ({ username })) } },
  })

  test('everybody sees who likes a publication, and only its owner a list of likes', async () => {
    const source = `{ post(uuid: "${post}") { likers { totalCount nodes { username likes { nodes { uuid } } } } } }`
    const mine = { likes: { nodes: [{ uuid: post }] } }
    for (const viewer of [ada, bob]) {
      const { data, errors } = await app.graphql(viewer.token, source)
      const nodes = [bob, ada].map(({ username }) => ({
        username,
        ...(viewer.username === username ? mine : { likes: null }),
      }))
      expect({ data, errors }).toEqual({ data: { post: { likers: { totalCount: 2, nodes } } }, errors: [] })
    }
  })

  test('a like that is set again keeps its place, and one that is made again is the newest', async () => {
    expect(await likers(post)).toEqual(named('bob', 'Ada'))
    await setLike(ada, post)
    expect(await likers(post)).toEqual(named('bob', 'Ada'))
    await setLike(ada, post, false)
    expect(await likers(post)).toEqual(named('bob'))
    await setLike(ada, post)
    expect(await likers(post)).toEqual(named('Ada', 'bob'))
  })

  test('a deleted publication disappears from the likes of those who liked it', async () => {
    const gone = await publish(app, ada)
    await setLike(bob, gone)
    const source = '{ viewer { likes { nodes { uuid } } } }'
    const likes = (...uuids: string[]) => ({ data: { viewer: { likes: { nodes: uuids.map((uuid) => ({ uuid })) } } } })
    expect(await app.graphql(bob.token, source)).toMatchObject(likes(gone, post))
    await app.graphql(ada.token, `mutation { deletePost(input: { uuid: "${gone}" }) { publication { uuid } } }`)
    expect(await app.graphql(bob.token, source)).toMatchObject(likes(post))
  })
})

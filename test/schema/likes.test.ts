import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  post = await publish(app, ada)
  await setLike(ada, post)
  await setLike(bob, post)
})
afterAll(() => app.close())

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
  expect(await likers(post)).toEqual(named('bob', 'ada'))
  await setLike(ada, post)
  expect(await likers(post)).toEqual(named('bob', 'ada'))
  await setLike(ada, post, false)
  expect(await likers(post)).toEqual(named('bob'))
  await setLike(ada, post)
  expect(await likers(post)).toEqual(named('ada', 'bob'))
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

test('a user follows the viewer or does not', async () => {
  await app.graphql(bob.token, `mutation { toggleFollow(input: { uuid: "${ada.id}" }) { action } }`)
  const source = (username: string) => `{ user(by: { username: "${username}" }) { followsViewer viewerIsFollowing } }`
  expect(await app.graphql(ada.token, source('bob'))).toMatchObject({
    data: { user: { followsViewer: true, viewerIsFollowing: false } },
  })
  expect(await app.graphql(bob.token, source('ada'))).toMatchObject({
    data: { user: { followsViewer: false, viewerIsFollowing: true } },
  })
})

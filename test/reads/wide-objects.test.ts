import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('an object can have more fields than a database function has arguments', async () => {
  const ada = await app.person('ada')
  const post = await publish(app, ada)
  const replies: string[] = []
  for (let count = 0; count < 50; count++) replies.push(await publish(app, ada, { parent: post }))
  const pages = replies.map((_uuid, index) => `r${index}: replies(first: 1, offset: ${index}) { nodes { uuid } }`)
  const leaves = 'id uuid content locked replyCount likeCount viewerHasLiked createdAt editedAt'
  const { data, errors } = await app.graphql(ada.token, `{ post(uuid: "${post}") { ${leaves} ${pages.join(' ')} } }`)
  expect(errors).toEqual([])
  expect(data).toMatchObject({
    post: {
      uuid: post,
      replyCount: 50,
      editedAt: null,
      ...Object.fromEntries(replies.map((uuid, index) => [`r${index}`, { nodes: [{ uuid }] }])),
    },
  })
})

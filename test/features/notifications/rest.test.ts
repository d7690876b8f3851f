import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { likes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  const bob = await app.person('bob')
  for (const content of ['One', 'Two', 'Three'])
    await setRelation(app, bob, likes, await publish(app, ada, { content }))
})
afterAll(() => app.close())

const page = z.object({
  unread_count: z.number(),
  notifications: z.array(
    z.object({ cursor: z.string(), post: z.object({ content: z.string() }), unread: z.boolean() }),
  ),
})

test('following the links gives each notification once, and reading up to one leaves the newer ones', async () => {
  const found: z.infer<typeof page>['notifications'] = []
  for (let path = '/notifications?limit=2'; path; ) {
    const response = await app.rest(ada.token, 'GET', path)
    const { unread_count, notifications } = page.parse(await response.json())
    expect(unread_count).toBe(3)
    found.push(...notifications)
    path = /<\/api\/v1(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? ''
  }
  expect(found.map(({ post }) => post.content)).toEqual(['Three', 'Two', 'One'])
  const read = await app.rest(ada.token, 'POST', '/notifications/read', { up_to: found[1]?.cursor })
  expect(await read.json()).toEqual({ unread_count: 1 })
})

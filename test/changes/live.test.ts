import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { settledCursor } from '../support/changes.ts'
import { eventsOf, subscribe, take } from '../support/events.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

test('a subscription without a cursor sends each change from now on as an event whose id is its cursor', async () => {
  await publish(app, ada, { content: 'Before' })
  await settledCursor(app, ada)
  const response = await subscribe(app, ada)
  expect(response.status).toBe(200)
  console.log(response.headers)
  const events = eventsOf(response)
  const uuids = [await publish(app, ada, { content: 'One' }), await publish(app, ada, { content: 'Two' })]
  const [one, two] = await take(events, 2)
  console.log(JSON.stringify([one, two], null, 1))
  expect([one, two].map((it) => it?.data?.changes.uuid)).toEqual(uuids)
  await events.return(undefined)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const position = '00000016b374d848'
const after = (value: string) => ({ 'rookery-after': value })

test.each(['', '16/B374D848', position.toUpperCase(), `${position}0`, `${position}, ${position}`])(
  'queries after %j, which is no position, are refused',
  async (value) => {
    const message = 'Rookery-After must be the Rookery-Position of the response to a write.'
    const { status, errors } = await app.graphql(ada.token, '{ viewer { uuid } }', {}, { headers: after(value) })
    expect(status).toBe(400)
    expect(errors).toEqual([{ message, extensions: { code: 'BAD_REQUEST' } }])
    const response = await app.rest(ada.token, 'GET', '/user', undefined, after(value))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'BAD_REQUEST', detail: message })
  },
)

test('queries may come after any position where there are no replicas, and writes have none', async () => {
  const { errors } = await app.graphql(ada.token, '{ viewer { uuid } }', {}, { headers: after(position) })
  expect(errors).toEqual([])
  expect((await app.rest(ada.token, 'GET', '/user', undefined, after(position))).status).toBe(200)
  const sent = await app.rest(ada.token, 'POST', '/post', { content: 'hello' })
  expect(sent.headers.has('rookery-position')).toBe(false)
})

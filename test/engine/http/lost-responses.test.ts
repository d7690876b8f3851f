import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { type ResponseThief, startResponseThief } from '../../support/http/response-thief.ts'
import { repeatableWrites, sendWrite, stateOf } from '../../support/rest/repeatable-writes.ts'

let app: TestApp
let thief: ResponseThief
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  thief = await startResponseThief(app.origin)
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(async () => {
  await thief.close()
  await app.close()
})

test.each(repeatableWrites)(
  '$what, whose response is lost, is done once, however often it is repeated',
  async (write) => {
    const subject = { post: await publish(app, bob), content: newId(), uuid: newId() }
    const key = write.isKeyed ? newId() : undefined
    const send = (origin: string) => sendWrite(origin, ada.token, write.request(subject), key)
    await expect(send(thief.origin)).rejects.toThrow()
    expect(await stateOf(app.database, subject)).toEqual(write.done)
    await expect(send(thief.origin)).rejects.toThrow()

    const repeated = await send(app.origin)
    expect(repeated).toMatchObject({ code: 'OK', status: 200, isReplay: write.isKeyed })
    expect(await send(app.origin)).toEqual(repeated)
    expect(await stateOf(app.database, subject)).toEqual(write.done)
  },
)

import * as oauth from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { authorize, fixedClient, personWithPassword } from '../../support/oauth/client.ts'
import { startMetadataServer } from '../../support/oauth/metadata-server.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

let app: TestApp
let mo: Person
let documents: Awaited<ReturnType<typeof startMetadataServer>>
beforeAll(async () => {
  documents = await startMetadataServer((request, response) => {
    const client_id = `https://${request.headers.host}${request.url}`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ client_id, client_name: 'Far away', redirect_uris: ['http://127.0.0.1/callback'] }))
  })
  app = await startApp({ clientMetadataLoopback: true })
  mo = await moderator(app, 'mo')
  await personWithPassword(app, 'robin')
})
afterAll(async () => {
  documents.close()
  await app.close()
})

/** Connects an application, and returns what it can do then: publish, refresh, and connect again. */
async function connected(clientId: string) {
  const { config, exchange } = await authorize(app, clientId, 'robin', { scope: 'post.get post.send' })
  const tokens = await exchange()
  let refresh = tokens.refresh_token ?? ''
  return async () => {
    letTimePass()
    const sent = await mutate(
      app,
      { token: tokens.access_token },
      'sendPost',
      { content: 'Hello' },
      'publication { uuid }',
    )
    const refreshed = oauth.refreshTokenGrant(config, refresh).then((next) => {
      refresh = next.refresh_token ?? ''
    })
    const refused = await refusalOf(refreshed)
    const { end } = await authorize(app, clientId, 'robin')
    return [outcomeOf(sent), refused, end.url.includes('code=')]
  }
}
const works = ['DONE', 'none', true]
const isRefused = ['UNAUTHENTICATED', 'invalid_client', false]

const refuse = (by: object, person = mo) => mutate(app, person, 'refuseApplication', { by, reason: 'Spam' }, 'changed')
const readmit = (by: object, person = mo) => mutate(app, person, 'readmitApplication', { by }, 'changed')

test('an application is refused while its owner is suspended', async () => {
  const owner = await app.person()
  const state = await connected(await fixedClient(app, owner))
  expect(await state()).toEqual(works)
  await setSuspended(app.database, 'operator', { uuid: owner.id }, true)
  expect(await state()).toEqual(isRefused)
  await setSuspended(app.database, 'operator', { uuid: owner.id }, false)
  expect(await state()).toEqual(works)
})

test('a moderator refuses an application and readmits it, and the log says so', async () => {
  const owner = await app.person()
  const uuid = await fixedClient(app, owner, { name: 'Spammer' })
  const state = await connected(uuid)
  const { config, exchange } = await authorize(app, uuid, 'robin')
  const { access_token } = await exchange()
  for (const changed of [true, false]) expect((await refuse({ uuid })).data).toEqual({ refuseApplication: { changed } })
  expect(await state()).toEqual(isRefused)
  await oauth.tokenRevocation(config, access_token)
  for (const changed of [true, false])
    expect((await readmit({ uuid })).data).toEqual({ readmitApplication: { changed } })
  expect(await state()).toEqual(works)
  letTimePass()
  expect((await app.graphql(access_token, '{ viewer { uuid } }')).status).toBe(401)
  const { data } = await app.graphql(
    mo.token,
    '{ moderationLog(first: 2) { nodes { action subjectUuid username client reason } } }',
  )
  const entry = { subjectUuid: uuid, username: owner.username, client: 'Spammer' }
  expect(Object(data).moderationLog.nodes).toEqual([
    { action: 'APPLICATION_READMITTED', ...entry, reason: null },
    { action: 'APPLICATION_REFUSED', ...entry, reason: 'Spam' },
  ])
})

test('a moderator refuses all applications whose metadata is on a host, known or not', async () => {
  const { host } = new URL(documents.origin)
  const state = await connected(`${documents.origin}/known`)
  expect((await refuse({ host: host.toUpperCase() })).data).toEqual({ refuseApplication: { changed: true } })
  expect(await state()).toEqual(isRefused)
  const { end } = await authorize(app, `${documents.origin}/new`, 'robin')
  expect([end.status, end.text]).toEqual([400, expect.stringContaining('this server refuses the application')])
  expect((await readmit({ host })).data).toEqual({ readmitApplication: { changed: true } })
  expect(await state()).toEqual(works)
  const { data } = await app.graphql(
    mo.token,
    '{ moderationLog(first: 1) { nodes { username client user { uuid } } } }',
  )
  expect(Object(data).moderationLog.nodes).toEqual([{ username: null, client: host, user: null }])
})

test('what is no host or application, and what belongs to a moderator or this server, cannot be refused', async () => {
  const other = await moderator(app, 'other')
  const uuid = await fixedClient(app, other)
  const data = { id: crypto.randomUUID(), clientId: 'rookery-web', name: 'Rookery Web' }
  const { id: ownUuid } = await app.database.write.prisma.application.create({ data })
  const outcomes = []
  for (const by of [
    { host: 'https://a.example' },
    { host: '0198c0de-0000-7000-8000-00000000000' },
    { host: 'a.example/path' },
    { host: 'b@a.example' },
    { host: '' },
    { host: `${'a'.repeat(63)}.`.repeat(5) },
    { uuid: '019ab2c4-0000-7000-8000-000000000000' },
    { uuid: ownUuid },
    { uuid },
  ])
    outcomes.push(outcomeOf(await refuse(by)))
  expect(outcomes).toEqual([...Array(6).fill('VALIDATION_FAILED'), 'NOT_FOUND', 'VALIDATION_FAILED', 'FORBIDDEN'])
  const stranger = await app.person()
  expect(outcomeOf(await refuse({ host: 'a.example' }, stranger))).toBe('INSUFFICIENT_SCOPE')
})

import { expect, test } from 'vitest'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { startApp } from '../../support/app.ts'
import { addSecondFactor, challengeFor } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { authorize, fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'

/** All texts in a value of a row, and each binary one as somebody could write it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const [, hex] = /^\\x([0-9a-f]+)$/.exec(value) ?? []
    if (hex === undefined) return [value]
    const bytes = Buffer.from(hex, 'hex')
    return [hex, `#${hex}`, bytes.toString('base64'), bytes.toString('base64url')]
  }
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsIn) : []
}

test('nothing in the tables is a secret: no value signs in, connects or opens a link', async () => {
  const app = await startApp({ clientRegistration: true, signInLimits: undefined })
  const { prisma } = app.database.write
  const robin = await personWithPassword(app, 'robin')
  const clientId = await fixedClient(app, robin, { deviceFlow: true })
  const tokens = await (await authorize(app, clientId, 'robin')).exchange()
  // A code that was not exchanged, a session, a step, and a device code of each kind.
  const { browser } = await authorize(app, clientId, 'robin')
  const asked = new URLSearchParams({ client_id: clientId, scope: 'post.get' })
  const startDevice = async () =>
    Object(await (await fetch(`${app.origin}/oauth/device_authorization`, { method: 'POST', body: asked })).json())
  await startDevice()
  const { user_code } = await startDevice()
  const confirmation = await browser.submit(await browser.open(`${app.origin}/oauth/device`), { user_code })
  const step = await browser.submit(confirmation, { confirm: 'yes' })
  expect(step.url).toContain('/oauth/step/')
  await prisma.emailToken.create({
    data: {
      hash: Uint8Array.from(Buffer.from('ab'.repeat(32), 'hex')),
      userId: robin.id,
      kind: 'RESET',
      email: 'robin@example.org',
      expiresAt: new Date(Date.now() + 60_000),
    },
  })

  const suspended = await personWithPassword(app, 'eve')
  await setSuspended(app.database, 'operator', { uuid: suspended.id, reason: 'Spam' }, true)
  const other = new OAuthBrowser(app.origin)
  const signIn = await other.open(`${app.origin}/oauth/connections`)
  expect((await other.submit(signIn, { username: 'eve', password })).text).toContain('action="/appeal"')

  const { recoveryCodes } = await addSecondFactor(app, robin)
  const challenge = await challengeFor(app, robin)
  const goOn = async (challenge: string, code: string) => {
    await prisma.secondFactor.updateMany({ data: { attempts: 0 } })
    return (await app.rest(undefined, 'POST', '/session/code', { challenge, code })).status === 200
  }

  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const values = new Set<string>()
  for (const { name } of tables) {
    const rows = await prisma.$queryRawUnsafe<{ row: unknown }[]>(`select to_jsonb(t) as row from "${name}" t`)
    for (const text of rows.flatMap(({ row }) => Object.values(Object(row)).flatMap(textsIn))) values.add(text)
  }
  const stolen = [...values].filter(
    (text) => /^[\x21-\x7e]{16,200}$/.test(text) && !/^\d{4}-\d\d-\d\dT[\d:.+-]+Z?$/.test(text),
  )
  expect(stolen.length).toBeGreaterThan(40)

  const form = async (path: string, fields: Record<string, string>, cookie = '') => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams(fields)
    return fetch(app.origin + path, { method: 'POST', body, headers, redirect: 'manual' })
  }
  const get = (path: string, cookie: string) =>
    fetch(app.origin + path, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })
  const uid = new URL(step.url).pathname.split('/').at(-1) ?? ''
  const client = { client_id: clientId, redirect_uri: redirectUri, code_verifier: 'v'.repeat(43) }
  const device_code = 'urn:ietf:params:oauth:grant-type:device_code'
  const opened: string[] = []
  const note = (place: string, value: string, isOpen: boolean) => {
    if (isOpen) opened.push(`${place}: ${value}`)
  }
  for (const value of stolen) {
    const session = `rookery_session=${value}`
    const steps = `rookery_step=${value}; rookery_resume=${value}; rookery_browser=${value}; ${session}`
    const known = `rookery_step=${uid}; rookery_resume=${uid}; rookery_browser=${value}; ${session}`
    const pages = await get('/oauth/connections', session)
    note(
      'session',
      value,
      headingOf({ text: await pages.text(), url: '', status: 0, headers: pages.headers }) !== 'Sign in',
    )
    for (const path of [`/oauth/authorize/${uid}`, `/oauth/device/${uid}`, '/oauth/device'])
      for (const cookie of [steps, known]) {
        const answer = await get(path, cookie)
        const isSession = answer.headers.getSetCookie().some((line) => line.startsWith('rookery_session='))
        note(path, value, isSession || answer.status === 303)
      }
    for (const cookie of [steps, known]) {
      note('step', value, (await get(`/oauth/step/${uid}`, cookie)).status !== 400)
      note('sign-in', value, (await form(`/oauth/step/${uid}/consent`, { answer: 'allow' }, cookie)).status !== 400)
    }
    for (const fields of [
      { grant_type: 'authorization_code', code: value },
      { grant_type: 'refresh_token', refresh_token: value },
      { grant_type: device_code, device_code: value },
    ]) {
      const { error } = Object(await (await form('/oauth/token', { ...client, ...fields })).json())
      note(fields.grant_type, value, error !== 'invalid_grant')
    }
    const { active } = Object(await (await form('/oauth/introspect', { ...client, token: value })).json())
    note('introspection', value, active !== false)
    await form('/oauth/revoke', { ...client, token: value })
    note('bearer', value, (await app.graphql(value, '{ viewer { username } }')).status !== 401)
    note('prefix', value, (await app.graphql(`rookery_${value}`, '{ viewer { username } }')).status !== 401)
    note('link', value, (await form('/verify', { token: `rookery_${value}` })).status !== 422)
    for (const session of [value, `rookery_${value}`])
      note('appeal', value, (await form('/appeal', { session, text: 'Let me in' })).status !== 422)
    const [code = ''] = recoveryCodes
    for (const stolenChallenge of [value, `rookery_${value}`])
      note('challenge', value, await goOn(stolenChallenge, code))
    note('code', value, await goOn(challenge, value))
    note('reset', value, (await form('/reset', { token: `rookery_${value}`, password })).status !== 422)
  }
  expect(opened).toEqual([])
  expect(await goOn(challenge, recoveryCodes[0] ?? '')).toBe(true)
  expect((await app.graphql(tokens.access_token, '{ viewer { username } }')).data).toEqual({
    viewer: { username: 'robin' },
  })
  await app.close()
})

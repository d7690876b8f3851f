import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { MailLimits, mailRequests } from '../../../src/features/mail/limits.ts'
import { removeExpiredLinks } from '../../../src/features/mail/links.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { type MailServer, startMailServer, textOfMail, tokenIn } from '../../support/processes/mail-server.ts'
import { publicUrl, startMailing as startMailingOf } from '../../support/processes/mailing.ts'

const quiet = { signInNotice: false }

let app: TestApp
let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  app = await startApp({ mail: { ...quiet, limits: new MailLimits(memoryLimiters) }, signInLimits: undefined })
  startMailing(server.url)
})
afterAll(async () => {
  await stopMailing?.()
  await app.close()
  await server.close()
})

let stopMailing: (() => Promise<void>) | undefined

/** Sends the e-mails of the app through a mail server. */
function startMailing(url: string) {
  const stop = startMailingOf(app, url)
  stopMailing = stop
  return stop
}

const reset = (email: string, on = app) => mutate(on, {}, 'requestPasswordReset', { email }, 'email')
const verify = (token: string) => mutate(app, {}, 'verifyEmail', { token }, 'user { username }')
const setPassword = (token: string, next: string) =>
  mutate(app, {}, 'resetPassword', { token, password: next }, 'user { username }')
const emailOf = async ({ token }: Person) => (await app.graphql(token, '{ viewer { email emailVerified } }')).data

/** Signs up, and waits for the e-mail. */
async function join(username: string, typed = `${username}@mail.example`, email = typed) {
  const person = personOf(await signUp(app, { username, email: typed }))
  await expect.poll(() => server.to(email).length).toBe(1)
  return { ...person, email, link: tokenIn(server.to(email)[0]) }
}

const newest = async (email: string, count: number) => {
  await expect.poll(() => server.to(email).length).toBe(count)
  return server.to(email).at(-1)
}

test('a new account gets an e-mail whose link verifies its address', async () => {
  const ada = await join('ada')
  const [mail] = server.to(ada.email)
  expect(mail?.from).toBe('noreply@nest.example')
  expect(mail?.raw).toMatch(/^From: The Nest <noreply@nest\.example>\r$/m)
  expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(mail?.raw).toMatch(/^Message-ID: <[0-9a-f-]{36}@nest\.example>\r$/m)
  expect(mail && textOfMail(mail)).toContain(`${publicUrl}/verify?token=${ada.link}`)
  expect(await emailOf(ada)).toEqual({ viewer: { email: ada.email, emailVerified: false } })
  expect((await verify(ada.link)).data).toEqual({ verifyEmail: { user: { username: 'ada' } } })
  expect(await emailOf(ada)).toEqual({ viewer: { email: ada.email, emailVerified: true } })
  // A second click on a link is no failure.
  expect(outcomeOf(await verify(ada.link))).toBe('DONE')
})

test('a forgotten password is reset by e-mail, once, and all tokens are revoked', async () => {
  const bob = await join('bob')
  expect((await reset('Bob@mail.example')).data).toEqual({ requestPasswordReset: { email: 'bob@mail.example' } })
  const link = tokenIn(await newest(bob.email, 2))
  expect(outcomeOf(await setPassword(link, 'short'))).toBe('VALIDATION_FAILED')
  const outcomes = await Promise.all([setPassword(link, 'a new password'), setPassword(link, 'another password')])
  expect(outcomes.map(outcomeOf).sort()).toEqual(['DONE', 'VALIDATION_FAILED'])
  expect(outcomeOf(await app.graphql(bob.token, '{ viewer { uuid } }'))).toBe('UNAUTHENTICATED')
  expect(outcomeOf(await signIn(app, 'bob'))).toBe('INVALID_CREDENTIALS')
  const words = ['a new password', 'another password']
  const signedIn = await Promise.all(words.map((secret) => signIn(app, 'bob', secret)))
  expect(signedIn.map(outcomeOf).sort()).toEqual(['DONE', 'INVALID_CREDENTIALS'])
})

test('a link expires, is then removed, and does only what it is for', async () => {
  const cyd = await join('cyd')
  await reset(cyd.email)
  const link = tokenIn(await newest(cyd.email, 2))
  expect(outcomeOf(await setPassword(cyd.link, 'a new password'))).toBe('VALIDATION_FAILED')
  expect(outcomeOf(await verify(link))).toBe('VALIDATION_FAILED')
  await app.database.write.prisma.emailToken.updateMany({ data: { expiresAt: new Date() } })
  expect(outcomeOf(await setPassword(link, 'a new password'))).toBe('VALIDATION_FAILED')
  expect(outcomeOf(await verify(cyd.link))).toBe('VALIDATION_FAILED')
  await removeExpiredLinks(app.database)
  expect(await app.database.write.prisma.emailToken.count({ where: { userId: cyd.id } })).toBe(0)
})

test('an address without an account gets no e-mail, and the answer does not tell', async () => {
  const count = server.mails.length
  const known = await join('dan')
  const answers = await Promise.all([reset('nobody@mail.example'), reset(known.email)])
  const [unknown] = answers.map(({ data, errors }) => ({ data, errors }))
  expect(unknown).toEqual({ data: { requestPasswordReset: { email: 'nobody@mail.example' } }, errors: [] })
  await newest(known.email, 2)
  expect(server.mails).toHaveLength(count + 2)
})

test('an address gets what it asks for, however it is typed', async () => {
  const zoe = await join('zoe', 'ZOË@mail.example', 'zoë@mail.example')
  await reset('zoE\u{308}@ⓜAIL．example')
  await setPassword(tokenIn(await newest('zoë@mail.example', 2)), 'a new password')
  expect(personOf(await signIn(app, 'zoe', 'a new password')).id).toBe(zoe.id)
})

const changeEmail = (person: Person, email: string, secret = password) =>
  mutate(app, person, 'changeEmail', { email, password: secret }, 'viewer { email }')

test('links for a new password do not outlive the address that they were sent to', async () => {
  const lou = await join('lou')
  await reset(lou.email)
  const old = tokenIn(await newest(lou.email, 2))
  await changeEmail(lou, 'lou@new.example')
  await verify(tokenIn(await newest('lou@new.example', 1)))
  expect(outcomeOf(await setPassword(old, 'a new password'))).toBe('VALIDATION_FAILED')
})

test('a new address replaces the old one once its link is used, and the old one can revert that', async () => {
  const eve = await join('eve')
  await verify(eve.link)
  const other = 'eve@other.example'
  expect(outcomeOf(await changeEmail(eve, other, 'wrong password'))).toBe('VALIDATION_FAILED')
  expect((await changeEmail(eve, other)).data).toEqual({ changeEmail: { viewer: { email: eve.email } } })
  const link = tokenIn(await newest(other, 1))
  const back = tokenIn(await newest(eve.email, 2))
  expect((await verify(link)).errors).toEqual([])
  expect(await emailOf(eve)).toEqual({ viewer: { email: other, emailVerified: true } })
  // Whoever has the new address changes it again, and gets a link to revert that.
  await changeEmail(eve, 'eve@third.example')
  const theirs = tokenIn(await newest(other, 2))
  const third = tokenIn(await newest('eve@third.example', 1))

  expect((await verify(back)).errors).toEqual([])
  expect(outcomeOf(await app.graphql(eve.token, '{ viewer { uuid } }'))).toBe('UNAUTHENTICATED')
  expect(outcomeOf(await signIn(app, 'eve'))).toBe('INVALID_CREDENTIALS')
  expect((await Promise.all([theirs, third].map(verify))).map(outcomeOf)).toEqual(Array(2).fill('VALIDATION_FAILED'))
  await setPassword(tokenIn(await newest(eve.email, 3)), 'a new password')
  const again = personOf(await signIn(app, 'eve', 'a new password'))
  expect(await emailOf(again)).toEqual({ viewer: { email: eve.email, emailVerified: true } })
})

test('an address that was never verified learns nothing of a change', async () => {
  const kim = await join('kim')
  await changeEmail(kim, 'kim@right.example')
  await newest('kim@right.example', 1)
  expect(server.to(kim.email)).toHaveLength(1)
})

test('the link to a new address, used again, changes nothing back', async () => {
  const amy = await join('amy')
  await verify(amy.link)
  await changeEmail(amy, 'amy@second.example')
  const link = tokenIn(await newest('amy@second.example', 1))
  expect((await Promise.all([verify(link), verify(link)])).map(outcomeOf)).toEqual(['DONE', 'DONE'])
  expect(outcomeOf(await verify(link))).toBe('DONE')
  expect(await emailOf(amy)).toEqual({ viewer: { email: 'amy@second.example', emailVerified: true } })
  await verify(tokenIn(await newest(amy.email, 2)))
  expect(outcomeOf(await verify(link))).toBe('VALIDATION_FAILED')
})

test('a reset goes to the accounts that verified the address, if there are any', async () => {
  const uma = await join('uma')
  await verify(uma.link)
  await signUp(app, { username: 'stranger', email: uma.email })
  await newest(uma.email, 2)
  await reset(uma.email)
  const mail = await newest(uma.email, 3)
  expect(mail && textOfMail(mail)).toContain('@uma')
  expect(await app.database.write.prisma.job.count({ where: { kind: 'send-reset' } })).toBe(0)
})

test.each(['bücher@mail.example', 'fay@bücher.example', '寿司@例え.example'])('%s gets e-mails', async (email) => {
  const person = personOf(await signUp(app, { username: `u${[...email].length}_${email.length}`, email }))
  const delivered = email.startsWith('fay') ? 'fay@xn--bcher-kva.example' : email
  const canonical = email.replace('bücher.', 'xn--bcher-kva.').replace('例え', 'xn--r8jz45g')
  await expect
    .poll(() => server.mails.find(({ to }) => to === delivered || to.normalize() === email)?.raw)
    .toContain('token=')
  expect(await emailOf(person)).toMatchObject({ viewer: { email: canonical } })
})

test.each([
  'a b@mail.example',
  'a@mail.example\r\nBcc: b@mail.example',
  'a,b@mail.example',
  '<a@mail.example>',
  'a@b@c',
])('%j is no address', async (email) => {
  const { status, errors } = await reset(email)
  expect(errors.length).toBe(1)
  expect(status).toBeLessThan(500)
})

test('each address of several changes gets its mail, also after a mail server was away', async () => {
  const mia = await join('mia')
  await stopMailing?.()
  await changeEmail(mia, 'mia@typo.example')
  await changeEmail(mia, 'mia@right.example')
  startMailing(server.url)
  await verify(tokenIn(await newest('mia@right.example', 1)))
  expect(await emailOf(mia)).toEqual({ viewer: { email: 'mia@right.example', emailVerified: true } })
})

test('taking a change back also cancels the mails of other changes that wait', async () => {
  const noa = await join('noa')
  await verify(noa.link)
  await changeEmail(noa, 'noa@first.example')
  const back = tokenIn(await newest(noa.email, 2))
  await newest('noa@first.example', 1)
  await stopMailing?.()
  await changeEmail(noa, 'noa@second.example')
  await changeEmail(noa, 'noa@third.example')
  await verify(back)
  startMailing(server.url)
  await expect.poll(() => server.to(noa.email).some(({ raw }) => raw.includes('Set a new password'))).toBe(true)
  expect([...server.to('noa@second.example'), ...server.to('noa@third.example')]).toEqual([])
})

test('resets are limited for each client', async () => {
  const limited = await startApp({ mail: { ...quiet, limits: new MailLimits(memoryLimiters) } }, sharing(app))
  onTestFinished(() => limited.close())
  const outcomes = []
  for (let count = 0; count <= mailRequests.client; count += 1)
    outcomes.push(outcomeOf(await reset('nobody@b.example', limited)))
  expect(outcomes.filter((it) => it !== 'DONE')).toEqual(['RATE_LIMITED'])
})

test('a sign-in sends a notice if the operator wants it, and none without a mail server', async () => {
  const noticing = await startApp({ mail: { signInNotice: true } }, sharing(app))
  const silent = await startApp({}, sharing(app))
  onTestFinished(async () => {
    await noticing.close()
    await silent.close()
  })
  const joan = await join('joan')
  await verify(joan.link)
  await signIn(silent, 'joan')
  await signIn(noticing, 'joan')
  const mail = await newest(joan.email, 2)
  expect(mail?.raw).toContain('Subject: New sign-in for The Nest')
  expect(outcomeOf(await reset(joan.email, silent))).toBe('FORBIDDEN')
})

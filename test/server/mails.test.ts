import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { memoryLimiters } from '../../src/data/limiters/memory-limiter.ts'
import { Mailer, type MailerOptions } from '../../src/data/mailer.ts'
import { removeExpiredLinks } from '../../src/domain/email-tokens.ts'
import { MailLimits, mailsPerDay } from '../../src/domain/mail-limits.ts'
import { handlersOf, startJobs } from '../../src/server/jobs.ts'
import { type Person, sharing, startApp, type TestApp } from '../support/app.ts'
import { type MailServer, startMailServer, textOfMail, tokenIn } from '../support/mail-server.ts'
import { mutate } from '../support/mutate.ts'
import { outcomeOf } from '../support/outcomes.ts'
import { password, personOf, signIn, signUp } from '../support/sign-in.ts'

const publicUrl = 'https://nest.example/social'
const quiet = { signInNotice: false }

let app: TestApp
let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  app = await startApp({ mail: { ...quiet, limits: new MailLimits(memoryLimiters) } })
  startMailing(server.url)
})
afterAll(async () => {
  await stopMailing?.()
  await app.close()
  await server.close()
})

let stopMailing: (() => Promise<void>) | undefined

/** Sends the e-mails of the app through a mail server. */
function startMailing(url: string, more: Partial<MailerOptions> = {}) {
  const mailer = new Mailer({ url, from: 'noreply@nest.example', name: 'The Nest', ...more })
  const mailing = { mailer, siteName: 'The Nest', publicUrl, limits: new MailLimits(memoryLimiters) }
  const stop = startJobs(app.database, handlersOf(app.database, readConfig({}), app.log, mailing), app.log, 50)
  stopMailing = stop
  return stop
}

const reset = (email: string, on = app) => mutate(on, {}, 'requestPasswordReset', { email }, 'email')
const verify = (token: string) => mutate(app, {}, 'verifyEmail', { token }, 'user { username }')
const setPassword = (token: string, next: string) =>
  mutate(app, {}, 'resetPassword', { token, password: next }, 'user { username }')
const emailOf = async ({ token }: Person) => (await app.graphql(token, '{ viewer { email emailVerified } }')).data

/** Signs up, and waits for the e-mail. */
async function join(username: string, email = `${username}@mail.example`) {
  const person = personOf(await signUp(app, { username, email }))
  await expect.poll(() => server.to(email).length).toBe(1)
  return { ...person, email, link: tokenIn(server.to(email)[0]) }
}

const newest = async (email: string, count: number) => {
  await expect.poll(() => server.to(email).length).toBe(count)
  return server.to(email).at(-1)
}

test('a new account gets an e-mail whose link verifies its address, once', async () => {
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
  expect(outcomeOf(await verify(ada.link))).toBe('VALIDATION_FAILED')
})

test('a forgotten password is reset by e-mail, once, and all tokens are revoked', async () => {
  const bob = await join('bob')
  expect((await reset('Bob@mail.example')).data).toEqual({ requestPasswordReset: { email: 'Bob@mail.example' } })
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

test('an address with capital letters beyond ASCII gets what it asks for', async () => {
  const zoe = await join('zoe', 'ZOË@mail.example')
  await reset('zoË@MAIL.example')
  await setPassword(tokenIn(await newest(zoe.email, 2)), 'a new password')
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

test('an address that was never verified cannot revert its change', async () => {
  const kim = await join('kim')
  await changeEmail(kim, 'kim@right.example')
  const notice = await newest(kim.email, 2)
  expect(notice && textOfMail(notice)).not.toContain('token=')
})

test.each(['bücher@mail.example', 'fay@bücher.example', '寿司@例え.example'])('%s gets e-mails', async (email) => {
  const person = personOf(await signUp(app, { username: `u${[...email].length}_${email.length}`, email }))
  const delivered = email.startsWith('fay') ? 'fay@xn--bcher-kva.example' : email
  await expect
    .poll(() => server.mails.find(({ to }) => to === delivered || to.normalize() === email)?.raw)
    .toContain('token=')
  expect(await emailOf(person)).toMatchObject({ viewer: { email } })
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

test('what the mail server refuses for good is not tried again, and the log does not name the address', async () => {
  await stopMailing?.()
  onTestFinished(() => void startMailing(server.url))
  const strict = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 })),
  })
  const stop = startMailing(strict.url)
  const job = () => app.database.write.prisma.job.count({ where: { kind: 'send-mail' } })
  await signUp(app, { username: 'gus', email: 'gus@bounce.example' })
  await expect.poll(() => app.lines.some(({ msg }) => msg === 'an e-mail was refused')).toBe(true)
  await expect.poll(job).toBe(0)
  expect(JSON.stringify(app.lines.filter(({ msg }) => /mail/.test(msg)))).not.toContain('gus@')
  await stop()
  await strict.close()
})

test('an e-mail waits for a mail server that is down, and for one that hangs, while other jobs go on', async () => {
  await stopMailing?.()
  const onConnect = vi.fn()
  const hanging = await startMailServer({ onConnect })
  const stop = startMailing(hanging.url)
  await signUp(app, { username: 'hal', email: 'hal@mail.example' })
  await expect.poll(() => onConnect.mock.calls.length).toBe(1)
  const cleaned = () => app.database.write.prisma.job.findMany({ where: { kind: 'remove-old-results', lease: null } })
  await expect.poll(cleaned).toHaveLength(1)
  await hanging.close()
  await stop()
  const where = { kind: 'send-mail' }
  await app.database.write.prisma.job.updateMany({ where, data: { dueAt: new Date(0), lease: null } })
  startMailing(server.url)
  await newest('hal@mail.example', 1)
})

test('whoever asks again does not wait for the next attempt', async () => {
  const { email } = await join('pia')
  await stopMailing?.()
  const { prisma } = app.database.write
  const stop = startMailing('smtp://127.0.0.1:1')
  await reset(email)
  const failed = { kind: 'send-mail', error: { not: null } }
  await expect.poll(() => prisma.job.count({ where: failed })).toBe(1)
  await stop()
  await prisma.job.updateMany({ where: failed, data: { dueAt: new Date(Date.now() + 3_600_000) } })
  await reset(email)
  startMailing(server.url)
  expect(tokenIn(await newest(email, 2))).not.toBe('')
})

test('a process without a mail server leaves the mails to others', async () => {
  await stopMailing?.()
  onTestFinished(() => void startMailing(server.url))
  await signUp(app, { username: 'lea', email: 'lea@mail.example' })
  const { prisma } = app.database.write
  const cleaned = () => prisma.job.findMany({ where: { kind: 'remove-old-results', dueAt: { gt: new Date() } } })
  await prisma.job.updateMany({ where: { kind: 'send-mail' }, data: { dueAt: new Date(0) } })
  await prisma.job.updateMany({ where: { kind: 'remove-old-results' }, data: { dueAt: new Date(1), lease: null } })
  onTestFinished(startJobs(app.database, handlersOf(app.database, readConfig({}), app.log), app.log, 50))
  await expect.poll(cleaned).toHaveLength(1)
  expect(await prisma.job.findMany({ where: { kind: 'send-mail' } })).toMatchObject([{ attempts: 0, error: null }])
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

test('e-mails are limited for each client, mailbox and domain', async () => {
  const limits = new MailLimits(memoryLimiters)
  for (let count = 0; count < mailsPerDay.mailbox; count += 1)
    expect(await limits.count('reset', 'Ida@a.example')).toBe(undefined)
  expect(await limits.count('reset', 'ida@A.example')).toBe('mailbox')
  await limits.uncount('reset', 'ida@a.example')
  expect(await limits.count('reset', 'ida@a.example')).toBe(undefined)
  const limited = await startApp({ mail: { ...quiet, limits } }, sharing(app))
  onTestFinished(() => limited.close())
  const outcomes = []
  for (let count = 0; count <= mailsPerDay.client; count += 1)
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
  await signIn(silent, 'joan')
  await signIn(noticing, 'joan')
  const mail = await newest(joan.email, 2)
  expect(mail?.raw).toContain('Subject: New sign-in to The Nest')
  expect(outcomeOf(await reset(joan.email, silent))).toBe('FORBIDDEN')
})

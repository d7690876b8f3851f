import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { resetPassword } from '../../../src/features/accounts/administration.ts'
import { MailLimits, mailsSent } from '../../../src/features/mail/limits.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { type MailServer, startMailServer, tokenIn } from '../../support/processes/mail-server.ts'
import { startMailing } from '../../support/processes/mailing.ts'

let app: TestApp
let server: MailServer
let stopMailing: () => Promise<void>
/** The addresses whose mail server asks to try again later. */
const busy = new Set<string>()
let owner: Person & { readonly email: string }
const limits = new MailLimits(memoryLimiters)
let round = 0

beforeAll(async () => {
  server = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(busy.has(address) ? Object.assign(new Error('later'), { responseCode: 450 }) : null),
  })
  app = await startApp({ mail: { signInNotice: false } })
  stopMailing = startMailing(app, server.url, limits)
})
afterAll(async () => {
  await stopMailing()
  await app.close()
  await server.close()
})
beforeEach(async () => {
  round += 1
  const email = `owner${round}@mail.example`
  owner = { ...personOf(await signUp(app, { username: `owner_${round}`, email })), email }
  expect(outcomeOf(await verify(await linkTo(email, 1)))).toBe('DONE')
})

const verify = (token: string) => mutate(app, {}, 'verifyEmail', { token }, 'user { username }')
const changeEmail = (email: string) =>
  mutate(app, owner, 'changeEmail', { email, password }, 'viewer { email }').then(outcomeOf)
const emailNow = async () => (await app.database.write.prisma.user.findUnique({ where: { id: owner.id } }))?.email

/** The link in one of the e-mails to an address, once it has come. */
async function linkTo(email: string, place: number): Promise<string> {
  await expect.poll(() => server.to(email).length).toBeGreaterThanOrEqual(place)
  return tokenIn(server.to(email)[place - 1])
}

/** Changes the address as somebody does who knows the password, and confirms that. */
async function takeTo(email: string): Promise<void> {
  expect(await changeEmail(email)).toBe('DONE')
  expect(outcomeOf(await verify(await linkTo(email, 1)))).toBe('DONE')
}

const waiting = { kind: 'send-mail' } as const

/** Lets the mail servers take e-mails again, and sends what waits for them now. */
async function letPass(): Promise<void> {
  await expect.poll(() => app.database.write.prisma.job.count({ where: { ...waiting, error: null } })).toBe(0)
  busy.clear()
  await app.database.write.prisma.job.updateMany({ where: waiting, data: { dueAt: new Date(0) } })
}

test('a notice goes to the old address, even if the new one is confirmed before it is sent', async () => {
  busy.add(owner.email)
  await takeTo(`thief${round}@evil.example`)
  await letPass()
  const back = await linkTo(owner.email, 2)
  expect(server.to(`thief${round}@evil.example`)).toHaveLength(1)
  expect(outcomeOf(await verify(back))).toBe('DONE')
  expect(await emailNow()).toBe(owner.email)
})

test('a link back is followed by an e-mail for a new password, however many strangers have asked for', async () => {
  for (let asked = 0; asked <= mailsSent.atOnce; asked += 1) {
    await mutate(app, {}, 'requestPasswordReset', { email: owner.email }, 'email')
    await linkTo(owner.email, asked + 2)
  }
  await takeTo(`flood${round}@evil.example`)
  const before = mailsSent.atOnce + 2
  expect(outcomeOf(await verify(await linkTo(owner.email, before + 1)))).toBe('DONE')
  const token = await linkTo(owner.email, before + 2)
  const input = { token, password: 'a new password' }
  expect(outcomeOf(await mutate(app, {}, 'resetPassword', input, 'user { uuid }'))).toBe('DONE')
})

test('the notice of a sign-in goes to the address of that time', async () => {
  const noticing = await startApp({ mail: { signInNotice: true } }, sharing(app))
  busy.add(owner.email)
  expect(outcomeOf(await signIn(noticing, owner.username))).toBe('DONE')
  await takeTo(`guest${round}@evil.example`)
  await letPass()
  await expect.poll(() => server.to(owner.email).length).toBe(3)
  expect(server.to(owner.email).some(({ raw }) => raw.includes('Subject: New sign-in'))).toBe(true)
  await noticing.close()
})

test('the link back to an address works, however often the address changes afterwards', async () => {
  const addresses = [1, 2, 3, 4, 5].map((count) => `thief${round}_${count}@evil.example`)
  for (const email of addresses) await takeTo(email)
  for (const email of addresses.slice(0, -1)) await linkTo(email, 2)
  expect(outcomeOf(await verify(await linkTo(owner.email, 2)))).toBe('DONE')
  expect(await emailNow()).toBe(owner.email)
})

test('a link back ends those of later changes, even if its e-mail was late and theirs wait', async () => {
  const [first, second, third] = [1, 2, 3].map((count) => `late${round}_${count}@evil.example`)
  if (!first || !second || !third) throw new TypeError()
  busy.add(owner.email).add(second)
  await takeTo(first)
  busy.delete(second)
  await takeTo(second)
  const theirs = await linkTo(first, 2)
  busy.add(second)
  await takeTo(third)
  busy.delete(owner.email)
  await app.database.write.prisma.job.updateMany({ where: waiting, data: { dueAt: new Date(0) } })
  expect(outcomeOf(await verify(await linkTo(owner.email, 2)))).toBe('DONE')
  expect(outcomeOf(await verify(theirs))).toBe('VALIDATION_FAILED')
  await letPass()
  await linkTo(owner.email, 3)
  expect(server.to(second)).toHaveLength(1)
  expect(await emailNow()).toBe(owner.email)
})

test.each([
  [
    'reset by e-mail',
    async (): Promise<string> => {
      await mutate(app, {}, 'requestPasswordReset', { email: owner.email }, 'email')
      const token = await linkTo(owner.email, 4)
      return outcomeOf(await mutate(app, {}, 'resetPassword', { token, password: 'a new password' }, 'user { uuid }'))
    },
  ],
  [
    'changed',
    async (): Promise<string> => {
      const input = { currentPassword: password, newPassword: 'a new password' }
      return outcomeOf(await mutate(app, owner, 'changePassword', input, 'viewer { uuid }'))
    },
  ],
  [
    'set by the operator',
    async (): Promise<string> => {
      await resetPassword(app.database, owner.id, 'a new password')
      return 'DONE'
    },
  ],
] as const)('a password that is %s cancels the changes that were not confirmed', async (_, setPassword) => {
  const [sent, unsent] = [`sent${round}@evil.example`, `unsent${round}@evil.example`]
  busy.add(unsent)
  await changeEmail(sent)
  const link = await linkTo(sent, 1)
  await linkTo(owner.email, 2)
  await changeEmail(unsent)
  await expect.poll(() => app.database.write.prisma.job.count({ where: { ...waiting, error: { not: null } } })).toBe(1)
  await linkTo(owner.email, 3)
  expect(await setPassword()).toBe('DONE')
  expect(outcomeOf(await verify(link))).toBe('VALIDATION_FAILED')
  const changes = { ...waiting, key: { startsWith: 'new-address' } }
  expect(await app.database.write.prisma.job.count({ where: changes })).toBe(0)
  busy.clear()
})

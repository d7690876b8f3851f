import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startJobs } from '../../../src/engine/jobs/jobs.ts'
import { readConfig } from '../../../src/server/config.ts'
import { addCleanUp, jobKindsOf, mailsAtOnce } from '../../../src/server/jobs.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { signUp } from '../../support/graphql/sign-in.ts'
import { startMailServer } from '../../support/processes/mail-server.ts'
import { startMailing } from '../../support/processes/mailing.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false }, signInLimits: undefined })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.database.write.prisma.job.deleteMany({ where: { kind: { startsWith: 'send-' } } })
})

/** Starts a mail server with these options, and sends the e-mails of the app through it, until the end of the test. */
async function mailThrough(options: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options)
  const stop = startMailing(app, server.url)
  onTestFinished(async () => {
    await stop()
    await server.close()
  })
  return { ...server, stop }
}

const join = (username: string, domain = 'mail.example') =>
  signUp(app, { username, email: `${username}@${domain}` }).then(() => `${username}@${domain}`)
const reset = (email: string) => mutate(app, {}, 'requestPasswordReset', { email }, 'email')
const jobs = (where: object) => app.database.write.prisma.job.findMany({ where })
const cleaned = () => jobs({ kind: 'clean-up', lease: null, dueAt: { gt: new Date() } })

test('what the mail server refuses for good is not tried again, and the log does not name the address', async () => {
  await mailThrough({
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 })),
  })
  await join('gus')
  await expect.poll(() => app.lines.some(({ msg }) => msg === 'an e-mail was refused')).toBe(true)
  await expect.poll(() => jobs({ kind: 'send-mail' })).toEqual([])
  expect(JSON.stringify(app.lines.filter(({ msg }) => /mail/.test(msg)))).not.toContain('gus@')
})

test('an e-mail waits for a mail server that is down, and for one that hangs, while other jobs go on', async () => {
  const onConnect = vi.fn()
  const hanging = await mailThrough({ onConnect })
  const email = await join('hal')
  await expect.poll(() => onConnect.mock.calls.length).toBe(1)
  await expect.poll(cleaned).toHaveLength(1)
  await hanging.stop()
  await app.database.write.prisma.job.updateMany({
    where: { kind: 'send-mail' },
    data: { dueAt: new Date(0), lease: null },
  })
  const working = await mailThrough({})
  await expect.poll(() => working.to(email).length).toBe(1)
})

test('whoever asks again does not wait for the next attempt', async () => {
  const email = await join('pia')
  const stop = startMailing(app, 'smtp://127.0.0.1:1')
  await reset(email)
  const failed = { kind: 'send-reset', error: { not: null } }
  await expect.poll(() => jobs(failed)).toHaveLength(1)
  await stop()
  const later = new Date(Date.now() + 3_600_000)
  await app.database.write.prisma.job.updateMany({ where: failed, data: { dueAt: later } })
  await reset(email)
  const working = await mailThrough({})
  await expect.poll(() => working.to(email).some(({ raw }) => raw.includes('Reset your password'))).toBe(true)
})

test('a process without a mail server leaves the mails to others', async () => {
  await join('lea')
  const { prisma } = app.database.write
  await prisma.job.updateMany({ where: { kind: 'clean-up' }, data: { dueAt: new Date(1), lease: null } })
  const kinds = jobKindsOf(app.database, readConfig({}), app.log)
  onTestFinished(startJobs(app.database, kinds, app.log, { every: 50, begin: () => addCleanUp(app.database) }))
  await expect.poll(cleaned).toHaveLength(1)
  expect(await jobs({ kind: 'send-mail' })).toMatchObject([{ attempts: 0, error: null }])
})

test('a domain that hangs holds up neither others nor resets', async () => {
  const hanging: string[] = []
  for (const nth of [1, 2, 3, 4, 5]) await join(`hung_${nth}`, 'hanging.example')
  const email = await join('swift')
  const server = await mailThrough({
    onRcptTo: ({ address }, _session, done) =>
      void (address.endsWith('@hanging.example') ? hanging.push(address) : done()),
  })
  await expect.poll(() => server.to(email).length).toBe(1)
  await reset(email)
  await expect.poll(() => server.to(email).length).toBe(2)
  expect(hanging).toHaveLength(mailsAtOnce.toDomain)
})

test('resets are sent before other e-mails, however long those have waited', async () => {
  const emails: string[] = []
  for (let nth = 0; nth < 12; nth += 1) emails.push(await join(`queued_${nth}`, `domain${nth}.example`))
  const [email = ''] = emails
  const stop = startMailing(app, 'smtp://127.0.0.1:1')
  await reset(email)
  await expect.poll(() => jobs({ kind: 'send-reset', lease: null, error: { not: null } })).toHaveLength(1)
  await stop()
  const where = { kind: { startsWith: 'send-' } }
  await app.database.write.prisma.job.updateMany({ where, data: { dueAt: new Date(), lease: null } })
  const server = await mailThrough({})
  await expect.poll(() => server.mails.length).toBeGreaterThan(mailsAtOnce.ofKind + 1)
  const place = server.mails.findIndex(({ raw }) => raw.includes('Reset your password'))
  expect(place).toBeGreaterThanOrEqual(0)
  expect(place).toBeLessThanOrEqual(mailsAtOnce.ofKind)
})

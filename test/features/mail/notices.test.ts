import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { MailLimits, mailsSent } from '../../../src/features/mail/limits.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { authorize, fixedClient } from '../../support/oauth/client.ts'
import { type MailServer, startMailServer, textOfMail, tokenIn } from '../../support/processes/mail-server.ts'
import { publicUrl, startMailing } from '../../support/processes/mailing.ts'

let app: TestApp
let server: MailServer
let stopMailing: () => Promise<void>
beforeAll(async () => {
  server = await startMailServer()
  app = await startApp({ mail: { signInNotice: true } })
  stopMailing = startMailing(app, server.url)
})
afterAll(async () => {
  await stopMailing()
  await app.close()
  await server.close()
})

type Owner = Person & { readonly email: string }

/** Creates an account with this address, which it has verified. */
async function owner(username: string, isVerified = true): Promise<Owner> {
  const email = `${username}@mail.example`
  const person = personOf(await signUp(app, { username, email }))
  await expect.poll(() => server.to(email).length).toBe(1)
  if (isVerified) await mutate(app, {}, 'verifyEmail', { token: tokenIn(server.to(email)[0]) }, 'user { uuid }')
  return { ...person, email }
}

const newest = async ({ email }: Owner, count = 2) => {
  await expect.poll(() => server.to(email).length).toBe(count)
  const mail = server.to(email).at(-1)
  return mail ? textOfMail(mail).replaceAll(/\s+/g, ' ') : ''
}

/** The e-mails that wait for an account. */
const waitingFor = ({ id }: Owner) =>
  app.database.write.prisma.job.findMany({ where: { payload: { path: ['userId'], equals: id } } })

const secondsToWait = async (person: Owner) => {
  const [job] = await waitingFor(person)
  return job ? (job.dueAt.getTime() - Date.now()) / 1_000 : 0
}

const acts: readonly [what: string, text: string, act: (person: Owner) => Promise<unknown>][] = [
  ['sign-in', 'Someone signed in to the account @NAME.', ({ username }) => signIn(app, username)],
  [
    'new password',
    'The password of the account @NAME was changed.',
    (person) =>
      mutate(
        app,
        person,
        'changePassword',
        { currentPassword: password, newPassword: 'a new password' },
        'viewer { uuid }',
      ),
  ],
  [
    'new username',
    'The username of the account @NAME was changed to @NAME_2.',
    (person) => mutate(app, person, 'updateProfile', { username: `${person.username}_2` }, 'viewer { uuid }'),
  ],
  [
    'new token that manages the account',
    'Someone created a token that can manage or export the account @NAME, or moderate with it.',
    (person) => mutate(app, person, 'createAccessToken', { name: 'x', scopes: ['ACCOUNT_MANAGE'] }, 'token'),
  ],
  [
    'new application that exports the account',
    'Someone connected an application that can manage or export the account @NAME, or moderate with it.',
    async (person) =>
      authorize(app, await fixedClient(app, person), person.username, { scope: 'user.get account.export' }),
  ],
  [
    'deletion',
    'Someone who knows the password of the account @NAME deleted it.',
    (person) => mutate(app, person, 'deleteAccount', { password }, 'finalAt'),
  ],
]

test.each(acts)('a %s is told to a verified address, with the way back', async (what, text, act) => {
  const person = await owner(`told_${acts.findIndex(([name]) => name === what)}`)
  await act(person)
  const told = text.replaceAll('NAME', person.username)
  const notices = () => server.to(person.email).map((mail) => textOfMail(mail).replaceAll(/\s+/g, ' '))
  const notice = () => notices().find((mail) => mail.includes(told))
  await expect.poll(notice).toContain(`${publicUrl}/reset`)
})

test('an address that was not verified gets no notice', async () => {
  const person = await owner('quiet', false)
  for (const [, , act] of acts.slice(0, 4)) await act(person)
  expect(await waitingFor(person)).toEqual([])
  expect(server.to(person.email)).toHaveLength(1)
})

test('a token without account.manage, and a username that stays, are not told', async () => {
  const person = await owner('narrow')
  await mutate(app, person, 'createAccessToken', { name: 'x', scopes: ['POST_GET'] }, 'token')
  await mutate(app, person, 'updateProfile', { username: 'Narrow' }, 'viewer { uuid }')
  await mutate(app, person, 'updateProfile', { username: 'Narrow' }, 'viewer { uuid }')
  expect(await newest(person)).toContain('was changed to @Narrow.')
  expect(await waitingFor(person)).toEqual([])
})

test('a notice that has to wait for many others is sent later', async () => {
  const person = await owner('often')
  for (let count = 0; count < mailsSent.atOnce + 1; count += 1) {
    await signIn(app, 'often')
    await newest(person, count + 2)
  }
  await signIn(app, 'often')
  await expect.poll(() => secondsToWait(person)).toBeGreaterThan(1_000)
  await stopMailing()
  await app.database.write.prisma.job.updateMany({ where: { kind: 'send-mail' }, data: { dueAt: new Date(0) } })
  stopMailing = startMailing(app, server.url, new MailLimits(memoryLimiters))
  expect(await newest(person, mailsSent.atOnce + 3)).toContain('Someone signed in')
})

test('what strangers do with the address of an owner keeps neither notices nor resets away', async () => {
  const person = await owner('victim')
  const strangers = await Promise.all(
    ['s1', 's2'].map(async (username) => personOf(await signUp(app, { username, email: 'Victim@mail.example' }))),
  )
  await newest(person, 3)
  for (let nth = 0; nth < mailsSent.atOnce * 2; nth += 1) {
    const input = { email: `other${nth}@mail.example`, password }
    const [stranger = person] = strangers
    expect(outcomeOf(await mutate(app, stranger, 'changeEmail', input, 'viewer { uuid }'))).toBe('DONE')
  }
  const input = { email: 'thief@evil.example', password }
  expect(outcomeOf(await mutate(app, person, 'changeEmail', input, 'viewer { uuid }'))).toBe('DONE')
  const notice = await newest(person, 4)
  expect(notice).toContain('to change its e-mail address to "thief@evil.example"')
  expect(notice).toContain('/verify?token=')
  await mutate(app, {}, 'requestPasswordReset', { email: ' VICTIM@Mail.Example'.trim() }, 'email')
  expect(await newest(person, 5)).toContain('Set a new password for the account @victim:')
})

test('a reset waits for its turn and is not lost, however many a stranger asks for', async () => {
  const person = await owner('asked')
  const ask = () => mutate(app, {}, 'requestPasswordReset', { email: person.email }, 'email')
  for (let count = 0; count < mailsSent.atOnce + 1; count += 1) {
    await ask()
    await newest(person, count + 2)
  }
  await ask()
  await expect.poll(() => secondsToWait(person)).toBeGreaterThan(1_000)
  expect(await waitingFor(person)).toMatchObject([{ kind: 'send-reset', lease: null, error: null }])
  const token = tokenIn(server.to(person.email).at(-1))
  expect(
    outcomeOf(await mutate(app, {}, 'resetPassword', { token, password: 'a new password' }, 'user { uuid }')),
  ).toBe('DONE')
})

test('a new password ends links that set another one', async () => {
  const person = await owner('fresh')
  await mutate(app, {}, 'requestPasswordReset', { email: person.email }, 'email')
  await newest(person)
  const token = tokenIn(server.to(person.email).at(-1))
  const input = { currentPassword: password, newPassword: 'a new password' }
  expect(outcomeOf(await mutate(app, person, 'changePassword', input, 'viewer { uuid }'))).toBe('DONE')
  expect(outcomeOf(await mutate(app, {}, 'resetPassword', { token, password }, 'user { uuid }'))).toBe(
    'VALIDATION_FAILED',
  )
})

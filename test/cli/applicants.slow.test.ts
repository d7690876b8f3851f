import { afterAll, beforeAll, expect, test } from 'vitest'
import { setSuspended } from '../../src/features/moderation/suspensions.ts'
import { admitting, type Person, type TestApp } from '../support/app.ts'
import { mutate } from '../support/graphql/mutate.ts'
import { outcomeOf } from '../support/graphql/outcomes.ts'
import { personOf, signIn, signUp } from '../support/graphql/sign-in.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { type MailServer, startMailServer, textOfMail } from '../support/processes/mail-server.ts'
import { publicUrl, startMailing } from '../support/processes/mailing.ts'
import { runCommand } from '../support/processes/rookery-command.ts'

let database: CommandDatabase
let app: TestApp
let mails: MailServer
let stopMailing: () => Promise<void>
beforeAll(async () => {
  database = await commandDatabase()
  mails = await startMailServer()
  app = await database.serve({ ...admitting({ signUp: 'approval' }), mail: { signInNotice: false } })
  stopMailing = startMailing(app, mails.url)
})
afterAll(async () => {
  await stopMailing()
  await app.close()
  await mails.close()
  await database.remove()
})

const run = (...args: string[]) => runCommand(args, { ...database.env, SMTP_URL: mails.url, PUBLIC_URL: publicUrl })
async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const addressOf = ({ username }: Pick<Person, 'username'>) => `${username}@mail.example`
const applicant = async (username: string, reason = 'I weave.\nA lot.') =>
  personOf(await signUp(app, { username, email: addressOf({ username }), reason }))
/** The e-mails to an account, in one line each. */
const mailsTo = (person: Person) =>
  mails
    .to(addressOf(person))
    .map((mail) => textOfMail(mail).replaceAll(/\s+/g, ' '))
    .join('\n')
const write = async (person: Person) =>
  outcomeOf(await mutate(app, person, 'sendPost', { content: 'Hello' }, 'publication { uuid }'))

test('an operator lists the accounts that wait, newest first', async () => {
  expect((await run('applicant', 'list')).stdout).not.toContain('@')
  const [ada, bob] = [await applicant('ada'), await applicant('bob')]
  const row = (person: Person) => ({
    uuid: person.id,
    since: expect.stringMatching(/^\d{4}-/),
    username: person.username,
    email: addressOf(person),
    reason: 'I weave.\nA lot.',
  })
  expect(await json('applicant', 'list', '--limit', '1')).toEqual({ applicants: [row(bob)], next: bob.id })
  expect(await json('applicant', 'list', '--after', bob.id)).toEqual({ applicants: [row(ada)], next: null })
  expect((await run('applicant', 'list')).stdout).toMatch(/ bob +bob@mail\.example +I weave\. A lot\.\n/)
})

test('an operator approves an account, whose owner gets an e-mail', async () => {
  const cleo = await applicant('cleo')
  const { id: uuid } = cleo
  expect((await run('applicant', 'approve', 'cleo')).stdout).toBe('cleo is now approved.\n')
  expect((await run('applicant', 'approve', '@Cleo')).stdout).toBe('Cleo is already approved.\n')
  expect(await json('applicant', 'approve', 'cleo')).toEqual({ uuid, changed: false })
  expect(await write(personOf(await signIn(app, 'cleo')))).toBe('DONE')
  await expect
    .poll(() => mailsTo(cleo))
    .toContain(`A moderator approved the account @cleo. You can now post, reply and follow: ${publicUrl}/timeline`)
})

test('an operator rejects an account, which is over, with a reason that its owner gets', async () => {
  const dan = await applicant('dan')
  const missing = await run('applicant', 'reject', 'dan')
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--reason')])
  expect((await run('applicant', 'reject', 'dan', '--reason', 'Too few looms.')).stdout).toBe('Rejected dan.\n')
  expect(outcomeOf(await signIn(app, 'dan'))).toBe('INVALID_CREDENTIALS')
  await expect
    .poll(() => mailsTo(dan))
    .toContain('A moderator rejected the account @dan, for this reason: Too few looms. The account and its data are')
  const again = await run('applicant', 'reject', 'dan', '--reason', 'Again')
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'There is no such user.\n' })
})

test('an account that does not wait is not rejected, and only known ones are approved', async () => {
  const eve = await applicant('eve')
  await json('applicant', 'approve', 'eve')
  const refused = await run('applicant', 'reject', 'eve', '--reason', 'Late')
  expect(refused).toMatchObject({ code: 1, stderr: 'The account does not wait for approval.\n' })
  expect(outcomeOf(await signIn(app, eve.username))).toBe('DONE')
  expect(await run('applicant', 'approve', 'nobody')).toMatchObject({ code: 1, stderr: 'There is no such user.\n' })
})

test.each([
  ['accept', 'faye'],
  ['reject', 'gus'],
])('a person whose appeal the operator answers is told where to read it: %s', async (verb, username) => {
  const person = await applicant(username)
  const { prisma } = app.database.write
  await prisma.user.update({ where: { id: person.id }, data: { emailVerified: true } })
  await setSuspended(app.database, 'operator', { uuid: person.id, reason: 'Spam' }, true)
  const { id } = await prisma.appeal.create({ data: { id: crypto.randomUUID(), userId: person.id, text: 'Not me' } })
  expect(await json('appeal', verb, id, '--answer', 'We looked.')).toEqual({ uuid: id })
  await expect.poll(() => mailsTo(person)).toContain(`have answered the appeal of the account @${username}. (`)
  expect(mailsTo(person)).toContain(`Sign in to read the answer: ${publicUrl}/timeline`)
  // Only its owner reads it, after signing in.
  expect(mailsTo(person)).not.toContain('We looked.')
})

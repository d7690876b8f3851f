import { expect, onTestFinished, test, vi } from 'vitest'
import { Mailer, sendTimeout } from '../../../src/features/mail/mailer.ts'
import { startMailServer } from '../../support/processes/mail-server.ts'
import { constant } from '../../support/project/constants.ts'

/** A mailer of a real mail server with these options. */
async function mailerOf(options: Parameters<typeof startMailServer>[0], timeout?: number, user = '') {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  const url = server.url.replace('//', `//${user}`)
  return new Mailer({
    url,
    host: 'nest.example',
    from: 'noreply@nest.example',
    name: 'The Nest',
    ...(timeout && { timeout }),
  })
}

const mail = { id: '019ab2c4-0000-7000-8000-000000000000', to: 'ada@mail.example', subject: 'Hello', text: 'Hello' }
const refusal = (responseCode: number) => Object.assign(new Error(`no ${mail.to}`), { responseCode })
const outcomeOf = (mailer: Mailer, to = mail.to) => mailer.send({ ...mail, to }).catch((error: unknown) => error)

test('a mail server that answers each command in time, but takes too long in all, gets no e-mail', async () => {
  const later = (done: () => void) => void setTimeout(done, 150)
  const mailer = await mailerOf(
    { onMailFrom: (_from, _session, done) => later(done), onConnect: (_, done) => later(done) },
    200,
  )
  expect(await outcomeOf(mailer)).toMatchObject({ name: 'MailError', message: 'The mail server takes too long' })
  expect(sendTimeout).toBeLessThan(constant('leaseSeconds') * 1_000)
})

test('closing ends what is being sent', async () => {
  const onData = vi.fn()
  const mailer = await mailerOf({ onData })
  const outcome = outcomeOf(mailer)
  await expect.poll(() => onData.mock.calls.length).toBe(1)
  mailer.close()
  expect(await outcome).toMatchObject({ name: 'MailError', isPermanent: false })
})

test.each([
  ['onRcptTo', 550, true],
  ['onRcptTo', 450, false],
  ['onRcptTo', 530, false],
  ['onMailFrom', 530, false],
  ['onMailFrom', 553, false],
] as const)('what %s refuses with %i is refused for good: %j', async (command, code, isPermanent) => {
  const mailer = await mailerOf({
    [command]: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(code)),
  })
  expect(await outcomeOf(mailer)).toMatchObject({ message: `The mail server answered ${code}`, isPermanent })
})

test('wrong credentials are about the connection', async () => {
  const onAuth = (_auth: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(535))
  const mailer = await mailerOf({ onAuth }, undefined, 'user:secret@')
  expect(await outcomeOf(mailer)).toMatchObject({ message: 'The mail server answered 535', isPermanent: false })
})

test('a mail server whose certificate is not trusted, or that is not there, is named as such', async () => {
  const mailer = await mailerOf({ disabledCommands: [] })
  expect(await outcomeOf(mailer)).toMatchObject({ message: expect.stringContaining('certificate') })
  const nowhere = new Mailer({
    url: 'smtp://127.0.0.1:1',
    host: 'nest.example',
    from: 'noreply@nest.example',
    name: 'The Nest',
  })
  expect(await outcomeOf(nowhere)).toMatchObject({ message: expect.stringContaining('ECONNREFUSED 127.0.0.1:1') })
})

test('a mail server is greeted by the host of the public URL, since some take only full names', async () => {
  const names: string[] = []
  const mailer = await mailerOf({
    onMailFrom: (_from, { hostNameAppearsAs }, done) => {
      names.push(hostNameAppearsAs)
      done()
    },
  })
  await mailer.send(mail)
  expect(names).toEqual(['nest.example'])
})

test('a local part beyond ASCII is for mail servers with SMTPUTF8 only', async () => {
  const [old, current] = [await mailerOf({ hideSMTPUTF8: true }), await mailerOf({})]
  expect(await Promise.all([old, current].map((mailer) => mailer.offersUtf8()))).toEqual([false, true])
  expect(await outcomeOf(old, 'zoë@mail.example')).toMatchObject({
    message: 'The mail server does not offer SMTPUTF8',
    isPermanent: true,
  })
  expect(await outcomeOf(old, 'zoe@xn--bcher-kva.example')).toBe(undefined)
  expect(await outcomeOf(current, 'zoë@mail.example')).toBe(undefined)
})

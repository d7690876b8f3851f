import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInvitationOfOperator } from '../../../src/features/invitations/invitations.ts'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, signIn } from '../../support/graphql/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ ...admitting({ signUp: 'approval' }), signInLimits: undefined, mail: { signInNotice: false } })
})
afterAll(() => app.close())

const pageOf = async (query = '', on = app) => (await fetch(`${on.origin}/sign-up${query}`)).text()
const headers = { 'content-type': 'application/x-www-form-urlencoded' }
async function send(fields: Record<string, string>, on = app) {
  const body = new URLSearchParams({ email: 'ada@example.org', password, ...fields })
  const response = await fetch(`${on.origin}/sign-up`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}
const row = (username: string) =>
  app.database.write.prisma.user.findFirst({ where: { username }, include: { pending: true } })

test('who needs approval says why they want to join, and learns that they have to wait', async () => {
  expect(await pageOf()).toMatch(/<textarea name="reason"/)
  const { status, text } = await send({ username: '@weaver ', reason: 'I weave.\r\nA lot.' })
  expect(status).toBe(200)
  expect(text).toContain('Welcome, @weaver')
  expect(text).toContain('A moderator now decides')
  expect(text).toContain('href="/timeline"')
  expect((await row('weaver'))?.pending?.reason).toBe('I weave.\nA lot.')
  expect(outcomeOf(await signIn(app, 'weaver'))).toBe('DONE')
})

test('what is refused is shown again, as text, with the problem', async () => {
  const { status, text } = await send({ username: 'weaver', reason: '<b>"Why"</b>', email: 'new@example.org' })
  expect(status).toBe(422)
  expect(text).toMatch(/role="alert" id="wrong-username">This is taken\.</)
  expect(text).toContain('value="new@example.org"')
  expect(text).toContain('&#60;b&#62;&#34;Why&#34;&#60;/b&#62;</textarea>')
  expect(text).not.toContain(password)
  expect((await send({ username: 'no_reason' })).text).toContain('This is required.')
  expect(await row('no_reason')).toBeNull()
})

test('the link of an invitation takes the place of the reason and of the approval', async () => {
  const { code } = await createInvitationOfOperator(app.database, {})
  const page = await pageOf(`?invitation=${code}`)
  expect(page).toContain(`<input name="invitation" value="${code}"`)
  expect(page).not.toContain('<textarea')
  const { text } = await send({ username: 'visitor', invitation: code })
  expect(text).toContain('Welcome, @visitor')
  expect(text).not.toContain('moderator')
  expect((await row('visitor'))?.pending).toBeNull()
  const second = await send({ username: 'second', invitation: code })
  expect(second.text).toContain('This is wrong, was used up')
  // It can be corrected.
  expect(second.text).toContain(`<input name="invitation" value="${code}"`)
  expect(JSON.stringify(app.lines)).not.toContain(code)
  expect(await pageOf('?invitation=%22%3E%3Cscript%3E')).not.toContain('"><script>')
})

test('who has an invitation can enter it instead of a reason, also as its link', async () => {
  expect(await pageOf()).toContain('Invitation, if you have one')
  const { code } = await createInvitationOfOperator(app.database, { maxUses: 2 })
  for (const [username, invitation] of [
    ['by_code', ` ${code}\n`],
    ['by_link', `https://social.example/sign-up?invitation=${code}`],
  ] as const) {
    expect((await send({ username, reason: '', invitation })).text).toContain(`Welcome, @${username}`)
    expect((await row(username))?.pending).toBeNull()
  }
})

test('who has an invitation that is refused can say why they want to join instead', async () => {
  const { status, text } = await send({ username: 'knitter', reason: '', invitation: 'expired' })
  expect(status).toBe(422)
  expect(text).toMatch(/<textarea name="reason"/)
  expect(text).toContain('<input name="invitation" value="expired"')
  expect(text).toContain('To ask without one, clear its field.')
  const again = await send({ username: 'knitter', reason: 'I weave.', invitation: 'expired' })
  expect(again.text).toContain('I weave.</textarea>')
  expect((await send({ username: 'knitter', reason: 'I weave.', invitation: '' })).text).toContain('Welcome, @knitter')

  const { code } = await createInvitationOfOperator(app.database, {})
  const taken = await send({ username: 'knitter', reason: 'I knit.', invitation: code })
  expect(taken.text).toContain('I knit.</textarea>')
  expect(taken.text).not.toContain('clear its field')
})

test('where anybody can join, the page asks for nothing else, and takes an invitation from its link', async () => {
  const open = await startApp({ ...admitting({ signUp: 'open' }), signInLimits: undefined }, sharing(app))
  expect(await pageOf('', open)).not.toMatch(/invitation|reason/i)
  const { code } = await createInvitationOfOperator(app.database, {})
  expect(await pageOf(`?invitation=${code}`, open)).toContain(`<input name="invitation" value="${code}"`)
  await open.close()
})

test('where only invited people join, the page asks for the invitation', async () => {
  const invited = await startApp({ ...admitting({ signUp: 'invitation' }), signInLimits: undefined }, sharing(app))
  expect(await pageOf('', invited)).toMatch(/<input name="invitation" [^>]*required>/)
  expect(await send({ username: 'uninvited' }, invited)).toMatchObject({ status: 422 })
  await invited.close()
})

test('where sign-up is closed, there is no form', async () => {
  const settings = { ...admitting({ signUp: 'closed' }), signInLimits: undefined, contact: 'help@social.example' }
  const closed = await startApp(settings, sharing(app))
  expect(await pageOf('', closed)).toContain('Sign-up is closed')
  expect(await pageOf('', closed)).toContain('Ask <a href="mailto:help@social.example">its operator</a>.')
  expect(await pageOf('', closed)).not.toContain('<form')
  expect(await send({ username: 'late' }, closed)).toMatchObject({ status: 422 })
  expect(await row('late')).toBeNull()
  await closed.close()
})

test('other methods and large forms are refused', async () => {
  const put = await fetch(`${app.origin}/sign-up`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  expect((await send({ username: 'large', reason: 'x'.repeat(9_000) })).status).toBe(413)
})

test('what is wrong is said beside its field, where the page begins', async () => {
  const { text } = await send({ username: 'two words', password: 'short', reason: 'Why not' })
  expect(text).toMatch(/<input name="username" [^>]* autofocus aria-invalid="true" aria-describedby="wrong-username">/)
  expect(text).toMatch(/<span role="alert" id="wrong-username">This must [^<]+\.<\/span>/)
  expect(text).toMatch(/<input name="password" [^>]*required aria-invalid="true" aria-describedby="wrong-password">/)
  expect(text).toContain('<span role="alert" id="wrong-password">This must have 8 to 128 characters.</span>')
  expect(text.match(/role="alert"/g)).toHaveLength(2)
  expect(text.match(/ autofocus/g)).toHaveLength(1)
})

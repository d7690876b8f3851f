import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freeCodes } from '../../../../src/features/accounts/second-factor/codes.ts'
import { createEmailToken } from '../../../../src/features/mail/links.ts'
import { sharing, startApp, type TestApp } from '../../../support/app.ts'
import { mutate } from '../../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../../support/graphql/outcomes.ts'
import { addSecondFactor, challengeFor, codeOf } from '../../../support/graphql/second-factor.ts'
import { personOf, signUp } from '../../../support/graphql/sign-in.ts'

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startApp()
  other = await startApp({}, sharing(app))
})
afterAll(async () => {
  await other.close()
  await app.close()
})

const password = 'another good password'

/** Somebody with a second factor, and the token of a link to set a new password. */
async function forgetful(username: string) {
  const person = personOf(await signUp(app, { username }))
  const { prisma } = app.database.write
  const { email } = await prisma.user.findUniqueOrThrow({ where: { id: person.id } })
  const token = await createEmailToken(prisma, { userId: person.id, kind: 'RESET', email })
  return { ...person, ...(await addSecondFactor(app, person)), link: token }
}

test('a link sets a new password with a code that was not used', async () => {
  const person = await forgetful('ada')
  const reset = (code?: string) =>
    mutate(app, {}, 'resetPassword', { token: person.link, password, code }, 'user { uuid }')
  expect(outcomeOf(await reset())).toBe('SECOND_FACTOR_REQUIRED')
  const wrong = await reset(codeOf(person.secret, 5))
  expect(wrong.errors).toMatchObject([{ extensions: { errors: [{ field: 'code' }] } }])
  expect(outcomeOf(await reset(codeOf(person.secret)))).toBe('DONE')
  expect(await challengeFor(app, person, password)).toBeTruthy()
})

test('a link that is used several times at once uses one code', async () => {
  const person = await forgetful('bob')
  const resets = person.recoveryCodes
    .slice(0, 4)
    .map((code, nth) =>
      mutate(nth % 2 ? app : other, {}, 'resetPassword', { token: person.link, password, code }, 'user { uuid }'),
    )
  expect(await outcomes(resets)).toEqual({ DONE: 1, VALIDATION_FAILED: 3 })
  expect(await app.database.write.prisma.recoveryCode.count({ where: { userId: person.id } })).toBe(9)
})

/** Sends the form of the page. */
async function submit(link: string, fields: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ token: link, password, ...fields })
  const response = await fetch(`${app.origin}/reset`, { method: 'POST', headers: { accept: 'text/html' }, body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The code in the log of the last request to the page. */
const loggedCode = () => app.lines.findLast(({ path }) => path === '/reset')?.code

test('the page asks for the code, and says what is wrong', async () => {
  const person = await forgetful('cyd')
  const send = (fields: Readonly<Record<string, string>>) => submit(person.link, fields)
  for (const [fields, says] of [
    [{ code: '' }, 'Enter a code of your authenticator app'],
    [{ code: '000000' }, 'This is wrong or was already used.'],
    [{ password: 'short', code: codeOf(person.secret) }, 'This must '],
  ] as const) {
    const { status, text } = await send(fields)
    expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining(says) })
  }
  expect((await send({ code: codeOf(person.secret) })).text).toContain('Your password has been changed')
})

test('the page says that there were too many wrong codes, and the log says what it refused', async () => {
  const { id: userId, link, secret } = await forgetful('dot')
  await submit(link, { code: '' })
  await vi.waitFor(() => expect(loggedCode()).toBe('SECOND_FACTOR_REQUIRED'))
  const data = { attempts: freeCodes + 20, attemptedAt: new Date() }
  await app.database.write.prisma.secondFactor.update({ where: { userId }, data })
  const { status, headers, text } = await submit(link, { code: codeOf(secret) })
  expect([status, Number(headers.get('retry-after')) > 890]).toEqual([429, true])
  expect(text).toMatch(/<h1>Set a new password<\/h1>/)
  expect(text).toMatch(/role="alert">There were too many wrong codes\. Try again in \d+ seconds\./)
  await vi.waitFor(() => expect(loggedCode()).toBe('RATE_LIMITED'))
  await submit('not a token', {})
  await vi.waitFor(() => expect(loggedCode()).toBe('VALIDATION_FAILED'))
})

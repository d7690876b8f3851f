import { afterAll, beforeAll, expect, test } from 'vitest'
import { addAccount, resetPassword as resetByOperator } from '../../../src/features/accounts/administration.ts'
import { createEmailToken } from '../../../src/features/mail/links.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const isCommon = 'is one of the most common passwords'
const isMadeOfNames = 'must differ more from the username and the e-mail address'

const badPasswords = [
  ['password123', isCommon],
  ['PassWord123', isCommon],
  ['1q2w3e4r5t', isCommon],
  ['marguerite', isMadeOfNames],
  ['MargueritE99!', isMadeOfNames],
  ['margueritemarguerite', isMadeOfNames],
  ['perey@lab.example', isMadeOfNames],
  ['perey1909', undefined],
  ['pereyperey12', isMadeOfNames],
] as const

test.each(badPasswords)('signing up with the password %j', async (chosen, message) => {
  const account = { username: 'marguerite', email: 'perey@lab.example', password: chosen }
  const answer = await signUp(app, account)
  if (message === undefined) expect(outcomeOf(answer)).toBe('DONE')
  else
    expect(answer.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'password', message }] } },
    ])
})

test('every way to set a password refuses a common one', async () => {
  const account = { username: 'lise', email: 'lise@example.org', password }
  const { id, token } = personOf(await signUp(app, account))
  const refused = { code: 'VALIDATION_FAILED' }
  const change = { currentPassword: password, newPassword: 'password123' }
  const changed = await app.graphql(
    token,
    'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { uuid } } }',
    { input: change },
  )
  const changing = { errors: [{ field: 'newPassword', message: isCommon }] }
  expect(changed.errors).toMatchObject([{ extensions: { ...refused, ...changing } }])

  const link = await createEmailToken(app.database.write.prisma, { kind: 'RESET', userId: id, email: account.email })
  const reset = await app.rest(undefined, 'POST', '/password/reset', { token: link, password: 'password123' })
  expect([reset.status, await reset.json()]).toMatchObject([
    422,
    { errors: [{ field: 'password', message: isCommon }] },
  ])
  const body = new URLSearchParams({ token: link, password: 'password123' })
  const page = await fetch(`${app.origin}/reset`, { method: 'POST', body })
  expect(page.status).toBe(422)
  expect(await page.text()).toContain(`This ${isCommon}.`)

  await expect(resetByOperator(app.database, id, 'password123')).rejects.toMatchObject(refused)
  const other = { username: 'otto', email: 'otto@example.org', password: 'password123' }
  await expect(addAccount(app.database, other)).rejects.toMatchObject(refused)
  expect(outcomeOf(await signIn(app, 'lise'))).toBe('DONE')
})

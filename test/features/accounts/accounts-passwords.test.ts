import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorAddress, Passwords } from '../../../src/features/accounts/passwords.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { heldUp } from '../../support/database/locks.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { queueing } from '../../support/passwords.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = personOf(await signUp(app, { username: 'Ada' }))
})
afterAll(() => app.close())

const next = 'another good password'
const change = ({ token }: Pick<Person, 'token'>, currentPassword: string, newPassword: string) =>
  app.graphql(
    token,
    'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { username } } }',
    { input: { currentPassword, newPassword } },
  )
const works = async (token: string) => [
  (await app.graphql(token, '{ viewer { uuid } }')).status,
  (await app.rest(token, 'GET', '/user')).status,
]

test('a password is stored only as a salted scrypt hash in the PHC string format', async () => {
  const twin = personOf(await signUp(app, { username: 'twin' }))
  const rows = await app.database.write.prisma.user.findMany({ where: { id: { in: [ada.id, twin.id] } } })
  const hashes = rows.map(({ passwordHash }) => passwordHash)
  expect(hashes).toEqual(
    [1, 2].map(() => expect.stringMatching(/^\$scrypt\$ln=\d+,r=\d+,p=\d+\$[\w-]{22}\$[\w-]{43}$/)),
  )
  expect(new Set(hashes).size).toBe(2)
  expect(JSON.stringify(rows.map((row) => Object.values(row).map(String)))).not.toContain(password)
  expect(JSON.stringify(app.lines)).not.toContain(password)
})

test('hashing uses the recommended cost by default', async () => {
  const hash = await new Passwords().hash(password, { address: operatorAddress, account: 'ada' })
  expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
})

describe('signing in', () => {
  test('returns the account and a new token, in any case of the username, with or without @', async () => {
    for (const username of ['Ada', 'ADA', 'ada', '@ada']) {
      const person = personOf(await signIn(app, username))
      expect(person).toEqual({ id: ada.id, username: 'Ada', token: expect.stringMatching(/^rookery_[\w-]{43}$/) })
      expect(person.token).not.toBe(ada.token)
      expect(await works(person.token)).toEqual([200, 200])
    }
  })

  test('does not distinguish a wrong password, an unknown name and an account without a password', async () => {
    const { username: passwordless } = await app.person()
    const answers = []
    for (const [username, secret] of [
      // A cached document may run differently, so compare only runs after the first.
      ['nobody_here', password],
      ['nobody_here', password],
      ['Ada', 'wrong password'],
      ['Ada', `${password} `],
      ['Ada', ''],
      ['Ada', '\0\ud800'],
      ['nobody_here', password],
      [passwordless, password],
      ['not a name', password],
      ['@@ada', password],
      ['x'.repeat(1000), password],
      ['\0', password],
    ]) {
      const response = await fetch(`${app.origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
          variables: { input: { username, password: secret } },
        }),
      })
      // What is left of the budget only tells how many requests came before.
      const { 'x-request-id': _id, date: _date, ratelimit: _budget, ...headers } = Object.fromEntries(response.headers)
      answers.push({ status: response.status, headers, body: await response.text() })
    }
    const [first, ...others] = answers.slice(2)
    for (const answer of others) expect(answer).toEqual(first)
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      data: null,
      errors: [{ message: 'The username or the password is wrong.', extensions: { code: 'INVALID_CREDENTIALS' } }],
    })
  })

  test('takes a password however the keyboard composes its letters', async () => {
    const composed = 'mañana en el café'
    const decomposed = composed.normalize('NFD')
    for (const [username, chosen] of [
      ['composed', composed],
      ['decomposed', decomposed],
    ] as const) {
      await signUp(app, { username, password: chosen })
      for (const entered of [composed, decomposed]) expect(outcomeOf(await signIn(app, username, entered))).toBe('DONE')
    }
  })

  test('under overload refuses some requests, serves others, and recovers', async () => {
    const busy = await startApp({ passwords: queueing(), signInLimits: undefined }, sharing(app))
    const {
      INVALID_CREDENTIALS = 0,
      UNAVAILABLE = 0,
      ...others
    } = await outcomes(Array.from({ length: 80 }, () => signIn(busy, 'nobody_here')))
    expect(others).toEqual({})
    expect(INVALID_CREDENTIALS).toBeGreaterThanOrEqual(4)
    expect(UNAVAILABLE).toBeGreaterThanOrEqual(1)
    expect(INVALID_CREDENTIALS + UNAVAILABLE).toBe(80)
    expect(outcomeOf(await signIn(busy, 'ada'))).toBe('DONE')
    await busy.close()
  })
})

describe('changing the password', () => {
  test('revokes all other tokens and keeps this one', async () => {
    const here = personOf(await signUp(app, { username: 'Grace' }))
    const there = personOf(await signIn(app, 'grace'))
    const made = await app.token(here, ['user.get'])
    for (const token of [here.token, there.token, made, ada.token]) expect(await works(token)).toEqual([200, 200])
    expect((await change(here, password, next)).data).toEqual({ changePassword: { viewer: { username: 'Grace' } } })
    expect(await works(here.token)).toEqual([200, 200])
    for (const token of [there.token, made]) expect(await works(token)).toEqual([401, 401])
    expect(await works(ada.token)).toEqual([200, 200])
    expect(await app.database.write.prisma.accessToken.count({ where: { userId: here.id } })).toBe(1)
    expect(outcomeOf(await signIn(app, 'grace'))).toBe('INVALID_CREDENTIALS')
    expect(outcomeOf(await signIn(app, 'grace', next))).toBe('DONE')
  })

  test('refuses a concurrent sign-in with the old password', async () => {
    const lise = personOf(await signUp(app, { username: 'Lise' }))
    const somebody = personOf(await signUp(app, { username: 'somebody', password: next }))
    const { passwordHash } = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id: somebody.id } })
    const answers = await heldUp(
      app.database,
      (transaction) => transaction.user.update({ where: { id: lise.id }, data: { passwordHash } }),
      () => [signIn(app, 'lise')],
    )
    expect(answers.map(outcomeOf)).toEqual(['INVALID_CREDENTIALS'])
    expect(await app.database.write.prisma.accessToken.count({ where: { userId: lise.id } })).toBe(1)
  })

  test('is refused with a wrong current password and revokes nothing', async () => {
    const passwordless = await app.person()
    const there = await app.token(ada, ['user.get'])
    for (const person of [ada, passwordless]) {
      const { data, errors } = await change(person, 'wrong password', next)
      expect(data).toBeNull()
      expect(errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'currentPassword', message: 'is wrong' }] } },
      ])
    }
    expect(await works(there)).toEqual([200, 200])
    expect(outcomeOf(await signIn(app, 'ada'))).toBe('DONE')
    const row = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id: passwordless.id } })
    expect(row.passwordHash).toBeNull()
  })

  test.each(['1234567', 'x'.repeat(129), '         ', 'a\0bcdefgh', 'a\ud800bcdefgh'])(
    'is refused to %j',
    async (newPassword) => {
      const { data, errors } = await change(ada, password, newPassword)
      expect(data).toBeNull()
      expect(errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'newPassword', message: expect.any(String) }] } },
      ])
      expect(outcomeOf(await signIn(app, 'ada'))).toBe('DONE')
    },
  )

  test('concurrently succeeds once, and that password is valid', async () => {
    const emmy = personOf(await signUp(app, { username: 'Emmy' }))
    const candidates = [1, 2, 3, 4].map((number) => `${next} ${number}`)
    const answers = await Promise.all(candidates.map((candidate) => change(emmy, password, candidate)))
    const won = answers.map(outcomeOf)
    expect(won.toSorted()).toEqual(['DONE', ...Array.from({ length: 3 }, () => 'VALIDATION_FAILED')])
    const winner = candidates[won.indexOf('DONE')] ?? ''
    const loser = candidates[won.indexOf('VALIDATION_FAILED')] ?? ''
    expect(outcomeOf(await signIn(app, 'emmy', winner))).toBe('DONE')
    expect(outcomeOf(await signIn(app, 'emmy', loser))).toBe('INVALID_CREDENTIALS')
    expect(outcomeOf(await signIn(app, 'emmy'))).toBe('INVALID_CREDENTIALS')
    expect(await works(emmy.token)).toEqual([200, 200])
  })
})

describe('with other parameters than those of a stored hash', () => {
  let present: TestApp
  beforeAll(async () => {
    present = await startApp({ passwords: new Passwords({ cost: { ln: 11, r: 8, p: 2 } }) }, sharing(app))
  })
  afterAll(() => present.close())

  const hashOf = async (username: string) =>
    (await app.database.write.prisma.user.findFirstOrThrow({ where: { username } })).passwordHash
  const oldHash = expect.stringMatching(/^\$scrypt\$ln=10,r=8,p=1\$/)
  const presentHash = expect.stringMatching(/^\$scrypt\$ln=11,r=8,p=2\$/)

  test('signing in replaces a hash with old parameters, once', async () => {
    const { token } = personOf(await signUp(app, { username: 'edith' }))
    expect(await hashOf('edith')).toEqual(oldHash)
    expect(await outcomes([signIn(present, 'edith', 'not the password')])).toEqual({ INVALID_CREDENTIALS: 1 })
    expect(await hashOf('edith')).toEqual(oldHash)

    personOf(await signIn(present, 'edith'))
    const upgraded = await hashOf('edith')
    expect(upgraded).toEqual(presentHash)
    personOf(await signIn(present, 'edith'))
    expect(await hashOf('edith')).toBe(upgraded)
    expect((await present.rest(token, 'GET', '/user')).status).toBe(200)
    expect(await outcomes([signIn(present, 'edith', 'not the password')])).toEqual({ INVALID_CREDENTIALS: 1 })
  })

  test('everyone who signs in while the hash is replaced gets in', async () => {
    personOf(await signUp(app, { username: 'joan' }))
    const signIns = Array.from({ length: 6 }, () => signIn(present, 'joan', password))
    expect(await outcomes(signIns)).toEqual({ DONE: 6 })
    expect(await hashOf('joan')).toEqual(presentHash)
  })
})

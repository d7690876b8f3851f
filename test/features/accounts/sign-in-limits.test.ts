import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { Refusal } from '../../../src/engine/errors.ts'
import { freeAttempts, SignInLimits } from '../../../src/features/accounts/sign-in-limits.ts'
import { type Answer, sharing, startApp, type TestApp } from '../../support/app.ts'
import { tally } from '../../support/graphql/outcomes.ts'
import { changePasswordFrom, password, personOf, signInFrom, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  // So long that it does not end on a slow machine.
  app = await startApp({ signInLimits: new SignInLimits(memoryLimiters, 600) })
  token = personOf(await signUp(app, { username: 'ada' })).token
  await signUp(app, { username: 'grace' })
})
afterAll(() => app.close())

const wrong = { secret: 'not the password' }

/** Sends many wrong passwords at once, and counts the outcomes. */
async function guess(count: number, from: string, username: string) {
  return tally(await Promise.all(Array.from({ length: count }, () => signInFrom(app, from, username, wrong))))
}

test('after a few wrong passwords at once, further attempts from there have to wait, whether the account exists or not', async () => {
  const known = await guess(freeAttempts.account + 5, '127.0.7.1', 'ada')
  const unknown = await guess(freeAttempts.account + 5, '127.0.7.1', 'nobody')
  // One more is let through, since the first wait begins with it.
  expect(known).toEqual({ INVALID_CREDENTIALS: freeAttempts.account + 1, RATE_LIMITED: 4 })
  expect(unknown).toEqual(known)
})

test('meanwhile the owner signs in from another address, or from a known device at the same one', async () => {
  await guess(freeAttempts.account + 5, '127.0.7.2', 'ada')
  await guess(5, '127.0.7.2', 'ada')
  expect(await signInFrom(app, '127.0.7.3', 'ada')).toBe('DONE')
  expect(await signInFrom(app, '127.0.7.2', 'ada', { earlierToken: token })).toBe('DONE')
  expect(await signInFrom(app, '127.0.7.2', 'grace')).toBe('DONE')
})

test('a token of another account, or none at all, does not make a device known', async () => {
  await guess(freeAttempts.account + 5, '127.0.7.4', 'grace')
  const attempts = [token, `rookery_${'x'.repeat(43)}`, ''].map((earlierToken) =>
    signInFrom(app, '127.0.7.4', 'grace', { earlierToken }),
  )
  expect(tally(await Promise.all(attempts)).RATE_LIMITED).toBeGreaterThanOrEqual(2)
})

test('an expired token of the account still makes a device known', async () => {
  const { id } = await app.database.write.prisma.user.findFirstOrThrow({ where: { username: 'grace' } })
  const owner = { id, username: 'grace', token: '' }
  const expired = await app.token(owner, ['user.get'], { expiresAt: new Date(Date.now() - 1_000) })
  await guess(freeAttempts.account + 10, '127.0.7.5', 'grace')
  expect(await signInFrom(app, '127.0.7.5', 'grace', { earlierToken: expired })).toBe('DONE')
})

test('a known device that guesses has to wait too', async () => {
  const attempts = Array.from({ length: freeAttempts.account + 5 }, () =>
    signInFrom(app, '127.0.7.6', 'ada', { ...wrong, earlierToken: token }),
  )
  expect(tally(await Promise.all(attempts))).toEqual({ INVALID_CREDENTIALS: freeAttempts.account + 1, RATE_LIMITED: 4 })
})

test('a wait ends, and grows with each further wrong password', async () => {
  const hasty = await startApp({ signInLimits: new SignInLimits(memoryLimiters) }, sharing(app))
  const attempt = () => hasty.graphql(undefined, document, { input: { username: 'hedy', password: wrong.secret } })
  const codeOf = async () => (await attempt()).errors[0]?.extensions.code
  await Promise.all(Array.from({ length: freeAttempts.account }, attempt))
  for (const _nth of [1, 2, 3]) {
    await expect.poll(codeOf, { timeout: 30_000 }).toBe('INVALID_CREDENTIALS')
  }
  // After the third of them it is four seconds.
  expect(Number((await attempt()).headers.get('retry-after'))).toBeGreaterThan(2)
  await hasty.close()
})

const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }'

const isBusy = () => Promise.reject(new Refusal('UNAVAILABLE', 'Too many people are signing in.'))

test('an attempt whose password could not be checked costs no wait', async () => {
  const limits = new SignInLimits(memoryLimiters, 600)
  const attempt = { address: '127.0.7.20', account: 'ada' }
  for (let nth = 0; nth < freeAttempts.account; nth += 1) await limits.signIn(attempt, undefined, async () => false)
  for (const _nth of [1, 2, 3]) {
    await expect(limits.signIn(attempt, undefined, isBusy)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  }
  expect(await limits.signIn(attempt, undefined, async () => false)).toBe(false)
  await expect(limits.signIn(attempt, undefined, isBusy)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('a right password keeps nobody else at its address waiting', async () => {
  const limits = new SignInLimits(memoryLimiters, 600)
  const from = (account: string) => ({ address: '127.0.7.22', account })
  for (let nth = 0; nth < freeAttempts.address; nth += 1)
    await limits.signIn(from(`name_${nth}`), undefined, async () => false)
  for (const owner of ['ada', 'grace', 'emmy']) {
    expect(await limits.signIn(from(owner), undefined, async () => true)).toBe(true)
  }
})

test('an account that could not be created for the moment costs no wait, but a taken name does', async () => {
  const limits = new SignInLimits(memoryLimiters, 600)
  const signUp = (create: () => Promise<string>) => limits.signUp('127.0.7.23', create)
  for (let nth = 0; nth < freeAttempts.signUp; nth += 1) await signUp(async () => 'created')
  for (const _nth of [1, 2, 3]) await expect(signUp(isBusy)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const isAway = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  await expect(signUp(isAway)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const isTaken = () => Promise.reject(new Refusal('CONFLICT', 'This username is taken.'))
  await expect(signUp(isTaken)).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(signUp(isTaken)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('the refusal is 429 and says when to try again', async () => {
  const attempt = () => app.graphql(undefined, document, { input: { username: 'lise', password: wrong.secret } })
  await Promise.all(Array.from({ length: freeAttempts.account + 1 }, attempt))
  const { status, headers, errors } = await attempt()
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
})

test('the holder of a token who guesses the current password has to wait, but the owner elsewhere does not', async () => {
  const owner = personOf(await signUp(app, { username: 'emmy' }))
  const change = (from: string, currentPassword: string) => changePasswordFrom(app, from, owner.token, currentPassword)
  const guesses = Array.from({ length: freeAttempts.account + 5 }, () => change('127.0.7.20', wrong.secret))
  expect(tally(await Promise.all(guesses))).toEqual({ VALIDATION_FAILED: freeAttempts.account + 1, RATE_LIMITED: 4 })
  expect(await change('127.0.7.20', password)).toBe('RATE_LIMITED')
  expect(await change('127.0.7.21', password)).toBe('DONE')
})

test('a right password clears the count', async () => {
  for (const _round of [1, 2, 3]) {
    expect(await guess(freeAttempts.account - 1, '127.0.7.8', 'ada')).toEqual({
      INVALID_CREDENTIALS: freeAttempts.account - 1,
    })
    expect(await signInFrom(app, '127.0.7.8', 'ada')).toBe('DONE')
  }
})

test('an address that tries many accounts has to wait', async () => {
  const outcomes: string[] = []
  // A few at a time: when too many wait for a password check, some are refused and not counted.
  for (let nth = 0; nth < freeAttempts.address + 5; nth += 5) {
    const attempts = [0, 1, 2, 3, 4].map((more) => signInFrom(app, '127.0.7.9', `name_${nth + more}`, wrong))
    outcomes.push(...(await Promise.all(attempts)))
  }
  const { RATE_LIMITED, INVALID_CREDENTIALS } = tally(outcomes)
  expect(RATE_LIMITED).toBeGreaterThan(0)
  expect(INVALID_CREDENTIALS).toBeLessThanOrEqual(freeAttempts.address + 1)
})

test('an address that creates many accounts has to wait, but invalid input is not counted', async () => {
  const other = await startApp({ signInLimits: new SignInLimits(memoryLimiters, 600) }, sharing(app))
  const create = (username: string) => signUp(other, { username, password })
  for (const nth of Array.from({ length: freeAttempts.signUp }).keys()) {
    const { errors } = await create(`not valid ${nth}`)
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
  }
  const codeOf = async (answer: Promise<Answer>) => String((await answer).errors[0]?.extensions.code ?? 'DONE')
  const codes: string[] = []
  for (const nth of Array.from({ length: freeAttempts.signUp }).keys()) codes.push(await codeOf(create(`name_${nth}`)))
  const more = ['a', 'b', 'c', 'd'].map((name) => codeOf(create(name)))
  codes.push(...(await Promise.all(more)))
  expect(codes.slice(0, freeAttempts.signUp)).toEqual(Array.from({ length: freeAttempts.signUp }, () => 'DONE'))
  expect(codes).toContain('RATE_LIMITED')
  await other.close()
})

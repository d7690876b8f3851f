import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeExpiredChallenges } from '../../../../src/features/accounts/second-factor/challenges.ts'
import { removeSecondFactorOf } from '../../../../src/features/accounts/second-factor/setup.ts'
import { type Answer, type Person, sharing, startApp, type TestApp } from '../../../support/app.ts'
import { setClock } from '../../../support/clock.ts'
import { mutate } from '../../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../../support/graphql/outcomes.ts'
import {
  addSecondFactor,
  begin,
  challengeFor,
  codeOf,
  confirmSignIn,
  type Factor,
  renewRecoveryCodes,
} from '../../../support/graphql/second-factor.ts'
import { password, personOf, signIn, signUp } from '../../../support/graphql/sign-in.ts'

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: true } })
  other = await startApp({}, sharing(app))
})
afterAll(async () => {
  await other.close()
  await app.close()
})

let people = 0
/** Somebody with a second factor. */
async function protectedPerson(): Promise<Person & Factor> {
  people += 1
  const person = personOf(await signUp(app, { username: `person_${people}` }))
  return { ...person, ...(await addSecondFactor(app, person)) }
}

const confirm = (challenge: string, code: string, server = app) => confirmSignIn(server, challenge, code)
const fieldsIn = ({ errors: [error] }: Answer) => error?.extensions.errors

describe('setting up a second factor', () => {
  test('shows the secret as text, as a URL and as a QR code, and stores nothing before it is confirmed', async () => {
    const ada = personOf(await signUp(app, { username: 'ada' }))
    const { secret, url, qrCode } = await begin(app, ada)
    expect(url).toBe(`otpauth://totp/Rookery:ada?issuer=Rookery&secret=${secret}&algorithm=SHA1&digits=6&period=30`)
    expect(qrCode).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 (\d+) \1">.*<\/svg>$/)
    expect(outcomeOf(await signIn(app, 'ada'))).toBe('DONE')
    const { data } = await app.graphql(ada.token, '{ secondFactor { createdAt } }')
    expect(data).toEqual({ secondFactor: null })
    const none = await app.rest(ada.token, 'GET', '/second-factor')
    expect([none.status, await none.json()]).toMatchObject([404, { detail: 'The account has no second factor.' }])
  })

  test('needs the password and a code of the app, and happens once', async () => {
    const person = personOf(await signUp(app, { username: 'begins' }))
    const { secret } = await begin(app, person)
    const set = (input: object) => mutate(app, person, 'confirmSecondFactor', { secret, ...input }, 'recoveryCodes')
    const code = codeOf(secret)
    expect(fieldsIn(await set({ code, password: 'not this one' }))).toMatchObject([{ field: 'password' }])
    expect(fieldsIn(await set({ code: codeOf(secret, 5), password }))).toMatchObject([{ field: 'code' }])
    const both = await outcomes([set({ code, password }), set({ code, password })])
    expect(both).toEqual({ DONE: 1, CONFLICT: 1 })
    expect(outcomeOf(await set({ code, password }))).toBe('CONFLICT')
    const again = await app.graphql(person.token, 'mutation { beginSecondFactor { secret } }')
    expect(outcomeOf(again)).toBe('CONFLICT')
    const { data } = await app.graphql(person.token, '{ secondFactor { recoveryCodesLeft } }')
    expect(data).toEqual({ secondFactor: { recoveryCodesLeft: 10 } })
  })

  test('is not possible where the operator has set no key', async () => {
    const without = await startApp({ authenticators: undefined }, sharing(app))
    const person = await app.person()
    const { errors } = await without.graphql(person.token, 'mutation { beginSecondFactor { secret } }')
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', reason: 'NO_SECRETS_KEY' } }])
    await without.close()
  })

  test('leaves tokens as they are', async () => {
    const { id, username, token } = await protectedPerson()
    const script = await app.token({ id, username, token }, ['user.get'])
    for (const bearer of [token, script])
      expect((await app.graphql(bearer, '{ viewer { username } }')).data).toEqual({ viewer: { username } })
  })
})

describe('signing in', () => {
  test('needs a code of the app after the password', async () => {
    const person = await protectedPerson()
    const challenge = await challengeFor(app, person)
    const { id, username } = personOf(await confirm(challenge, codeOf(person.secret)))
    expect({ id, username }).toEqual({ id: person.id, username: person.username })
    expect(outcomeOf(await confirm(challenge, codeOf(person.secret, 1)))).toBe('VALIDATION_FAILED')
  })

  test('takes codes of a clock that is one step ahead or behind, however they are written, and no others', async () => {
    const person = await protectedPerson()
    const challenge = await challengeFor(app, person)
    for (const steps of [-2, 2, 3])
      expect(outcomeOf(await confirm(challenge, codeOf(person.secret, steps)))).toBe('INVALID_CREDENTIALS')
    const code = codeOf(person.secret, 1)
    expect(outcomeOf(await confirm(challenge, `${code.slice(0, 3)} ${code.slice(3)}`))).toBe('DONE')
  })

  test('takes a recovery code once, and tells how many are left', async () => {
    const person = await protectedPerson()
    const [first = '', second = ''] = person.recoveryCodes
    expect(outcomeOf(await confirm(await challengeFor(app, person), first))).toBe('DONE')
    expect(outcomeOf(await confirm(await challengeFor(app, person), first))).toBe('INVALID_CREDENTIALS')
    const typed = second.toUpperCase().replaceAll('-', ' ')
    expect(outcomeOf(await confirm(await challengeFor(app, person), typed))).toBe('DONE')
    const { data } = await app.graphql(person.token, '{ secondFactor { recoveryCodesLeft } }')
    expect(data).toEqual({ secondFactor: { recoveryCodesLeft: 8 } })
  })

  test('takes no code of somebody else', async () => {
    const [person, stranger] = [await protectedPerson(), await protectedPerson()]
    const challenge = await challengeFor(app, person)
    for (const code of [codeOf(stranger.secret), stranger.recoveryCodes[0] ?? '', '', '000', 'no code'])
      expect(outcomeOf(await confirm(challenge, code))).toBe('INVALID_CREDENTIALS')
  })

  test('with one code at once in two processes succeeds once', async () => {
    const person = await protectedPerson()
    for (const code of [codeOf(person.secret), person.recoveryCodes[0] ?? '']) {
      const challenges = [await challengeFor(app, person), await challengeFor(app, person)]
      challenges.push(await challengeFor(app, person), await challengeFor(app, person))
      const attempts = challenges.map((challenge, nth) => confirm(challenge, code, nth % 2 ? app : other))
      expect(await outcomes(attempts)).toEqual({ DONE: 1, INVALID_CREDENTIALS: 3 })
    }
  })

  test('with one challenge at once in two processes succeeds once', async () => {
    const person = await protectedPerson()
    const challenge = await challengeFor(app, person)
    const attempts = person.recoveryCodes
      .slice(0, 4)
      .map((code, nth) => confirm(challenge, code, nth % 2 ? app : other))
    expect(await outcomes(attempts)).toEqual({ DONE: 1, VALIDATION_FAILED: 3 })
    expect(await app.database.write.prisma.recoveryCode.count({ where: { userId: person.id } })).toBe(9)
  })

  test('has to begin again after five minutes, a new password or the removal of the factor', async () => {
    const person = await protectedPerson()
    const { prisma } = app.database.write
    const [recovery = '', another = ''] = person.recoveryCodes
    const late = await challengeFor(app, person)
    const [stored] = await prisma.$queryRaw<{ seconds: number }[]>`
      select extract(epoch from expires_at - now())::float8 as seconds from sign_in_challenges where user_id = ${person.id}::uuid`
    expect(stored?.seconds).toBeGreaterThan(240)
    expect(stored?.seconds).toBeLessThanOrEqual(300)
    await prisma.signInChallenge.updateMany({ where: { userId: person.id }, data: { expiresAt: new Date() } })
    expect(fieldsIn(await confirm(late, recovery))).toMatchObject([{ field: 'challenge' }])
    await removeExpiredChallenges(app.database)
    expect(await prisma.signInChallenge.count({ where: { userId: person.id } })).toBe(0)

    const before = await challengeFor(app, person)
    const change = { currentPassword: password, newPassword: 'another good password', code: recovery }
    expect(outcomeOf(await mutate(app, person, 'changePassword', change, 'viewer { uuid }'))).toBe('DONE')
    expect(fieldsIn(await confirm(before, another))).toMatchObject([{ field: 'challenge' }])

    const waiting = await challengeFor(app, person, change.newPassword)
    const removal = { password: change.newPassword, code: another }
    expect(outcomeOf(await mutate(app, person, 'removeSecondFactor', removal, 'viewer { uuid }'))).toBe('DONE')
    expect(fieldsIn(await confirm(waiting, another))).toMatchObject([{ field: 'challenge' }])
    expect(outcomeOf(await signIn(app, person.username, change.newPassword))).toBe('DONE')
  })

  test('can be begun ten times at once, and more end the first ones', async () => {
    const person = await protectedPerson()
    const challenges: string[] = []
    for (let nth = 0; nth < 11; nth += 1) challenges.push(await challengeFor(app, person))
    const [first = '', second = ''] = challenges
    expect(await app.database.write.prisma.signInChallenge.count({ where: { userId: person.id } })).toBe(10)
    expect(fieldsIn(await confirm(first, codeOf(person.secret)))).toMatchObject([{ field: 'challenge' }])
    expect(outcomeOf(await confirm(second, codeOf(person.secret)))).toBe('DONE')
  })

  test('keeps the deletion of the account until the code is given', async () => {
    const person = await protectedPerson()
    const [code = '', next = ''] = person.recoveryCodes
    expect(outcomeOf(await mutate(app, person, 'deleteAccount', { password, code }, 'finalAt'))).toBe('DONE')
    const deletions = () => app.database.write.prisma.accountDeletion.count({ where: { userId: person.id } })
    const challenge = await challengeFor(app, person)
    expect(await deletions()).toBe(1)
    expect(outcomeOf(await confirm(challenge, next))).toBe('DONE')
    expect(await deletions()).toBe(0)
  })

  test('in a step that a clock has gone back to takes no code again', async () => {
    const person = await protectedPerson()
    const code = codeOf(person.secret, 1)
    expect(outcomeOf(await confirm(await challengeFor(app, person), code))).toBe('DONE')
    setClock(-30_000)
    expect(outcomeOf(await confirm(await challengeFor(app, person), codeOf(person.secret, 1)))).toBe(
      'INVALID_CREDENTIALS',
    )
  })
})

test.each([
  ['changePassword', { currentPassword: password, newPassword: 'another good password' }, 'viewer { uuid }'],
  ['changeEmail', { email: 'new@example.org', password }, 'viewer { uuid }'],
  ['renewRecoveryCodes', { password }, 'recoveryCodes'],
  ['removeSecondFactor', { password }, 'viewer { uuid }'],
  ['deleteAccount', { password }, 'finalAt'],
])('%s needs a code that was not used', async (mutation, input, fields) => {
  const person = await protectedPerson()
  const change = (more: object) => mutate(app, person, mutation, { ...input, ...more }, fields)
  expect((await change({})).errors).toMatchObject([{ extensions: { code: 'SECOND_FACTOR_REQUIRED' } }])
  expect(fieldsIn(await change({ code: codeOf(person.secret, 5) }))).toMatchObject([{ field: 'code' }])
  const code = codeOf(person.secret)
  expect(outcomeOf(await confirm(await challengeFor(app, person), code))).toBe('DONE')
  expect(fieldsIn(await change({ code }))).toMatchObject([{ field: 'code' }])
  expect(outcomeOf(await change({ code: codeOf(person.secret, 1) }))).toBe('DONE')
})

test('the owner is told of a new second factor, of new recovery codes, and of its removal', async () => {
  const person = personOf(await signUp(app, { username: 'told' }))
  await app.database.write.prisma.user.update({ where: { id: person.id }, data: { emailVerified: true } })
  const { recoveryCodes } = await addSecondFactor(app, person)
  const [code] = await renewRecoveryCodes(app, person, recoveryCodes[0] ?? '')
  expect(outcomeOf(await mutate(app, person, 'removeSecondFactor', { password, code }, 'viewer { uuid }'))).toBe('DONE')
  const jobs = await app.database.write.prisma.job.findMany({ where: { key: { contains: person.id } } })
  const topics = jobs.map(({ key }) => key.split(' ')[0])
  expect(topics).toEqual(
    expect.arrayContaining(['second-factor-notice', 'recovery-codes-notice', 'second-factor-removal-notice']),
  )
})

test('a second factor that is removed for somebody needs no password', async () => {
  const person = await protectedPerson()
  expect(await removeSecondFactorOf(app.database, person.id, true)).toBe(true)
  expect(await removeSecondFactorOf(app.database, person.id, true)).toBe(false)
  expect(outcomeOf(await signIn(app, person.username))).toBe('DONE')
})

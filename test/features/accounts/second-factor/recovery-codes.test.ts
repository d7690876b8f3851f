import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { hashOfRecoveryCode } from '../../../../src/features/accounts/second-factor/recovery-codes.ts'
import { type Person, sharing, startApp, type TestApp } from '../../../support/app.ts'
import { mutate } from '../../../support/graphql/mutate.ts'
import { outcomeOf } from '../../../support/graphql/outcomes.ts'
import {
  addSecondFactor,
  challengeFor,
  confirmSignIn,
  type Factor,
  renewRecoveryCodes,
} from '../../../support/graphql/second-factor.ts'
import { password, personOf, signUp } from '../../../support/graphql/sign-in.ts'

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined })
  other = await startApp({ signInLimits: undefined }, sharing(app))
})
afterAll(async () => {
  await other.close()
  await app.close()
})

/** Somebody with a second factor. */
async function protectedPerson(username: string): Promise<Person & Factor> {
  const person = personOf(await signUp(app, { username }))
  return { ...person, ...(await addSecondFactor(app, person)) }
}

test('new recovery codes end the former ones, over both APIs', async () => {
  const person = await protectedPerson('ada')
  const signInWith = async (code = '') => outcomeOf(await confirmSignIn(app, await challengeFor(app, person), code))
  const [first = '', former] = person.recoveryCodes
  const codes = await renewRecoveryCodes(app, person, first)
  expect(new Set([...codes, ...person.recoveryCodes]).size).toBe(20)
  expect(await signInWith(former)).toBe('INVALID_CREDENTIALS')
  expect(await signInWith(codes[0])).toBe('DONE')

  const confirmation = { password, code: codes[1] }
  const answer = await app.rest(person.token, 'POST', '/second-factor/recovery-codes', confirmation)
  const { recovery_codes } = z.object({ recovery_codes: z.array(z.string()) }).parse(await answer.json())
  expect(await signInWith(codes[2])).toBe('INVALID_CREDENTIALS')
  expect(await signInWith(recovery_codes[0])).toBe('DONE')
})

test('new recovery codes beside sign-ins in two processes leave none of the former ones', async () => {
  const person = await protectedPerson('grace')
  const [mine = '', ...others] = person.recoveryCodes
  const used = others.slice(0, 6)
  const challenges = await Promise.all(used.map(() => challengeFor(app, person)))
  const [renewed, ...signedIn] = await Promise.all([
    renewRecoveryCodes(app, person, mine),
    ...challenges.map((challenge, nth) => confirmSignIn(nth % 2 ? app : other, challenge, used[nth] ?? '')),
  ])
  for (const outcome of signedIn.map(outcomeOf)) expect(['DONE', 'INVALID_CREDENTIALS']).toContain(outcome)
  const stored = await app.database.write.prisma.recoveryCode.findMany({ where: { userId: person.id } })
  const hex = (hash: Uint8Array | undefined) => Buffer.from(hash ?? []).toString('hex')
  expect(new Set(stored.map(({ hash }) => hex(hash)))).toEqual(
    new Set(renewed.map((it) => hex(hashOfRecoveryCode(it)))),
  )
})

test('with one code at once, recovery codes are renewed once', async () => {
  const person = await protectedPerson('mary')
  const input = { password, code: person.recoveryCodes[0] }
  const renewals = [app, other, app, other].map((server) =>
    mutate(server, person, 'renewRecoveryCodes', input, 'recoveryCodes'),
  )
  const found = (await Promise.all(renewals)).map(outcomeOf)
  expect(found.toSorted()).toEqual(['DONE', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED'])
  expect(await app.database.write.prisma.recoveryCode.count({ where: { userId: person.id } })).toBe(10)
})

test('who has no second factor has no recovery codes to renew', async () => {
  const person = personOf(await signUp(app, { username: 'bare' }))
  expect(outcomeOf(await mutate(app, person, 'renewRecoveryCodes', { password }, 'recoveryCodes'))).toBe('NOT_FOUND')
})

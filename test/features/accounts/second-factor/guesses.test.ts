import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryLimiters } from '../../../../src/engine/data/limiters.ts'
import { freeCodes } from '../../../../src/features/accounts/second-factor/codes.ts'
import { freeAttempts, SignInLimits } from '../../../../src/features/accounts/sign-in-limits.ts'
import { type Person, sharing, startApp, type TestApp } from '../../../support/app.ts'
import { mutate } from '../../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../../support/graphql/outcomes.ts'
import {
  addSecondFactor,
  challengeFor,
  codeOf,
  confirmSignIn,
  type Factor,
} from '../../../support/graphql/second-factor.ts'
import { password, personOf, signUp } from '../../../support/graphql/sign-in.ts'

let app: TestApp
let processes: readonly TestApp[]
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined })
  processes = [app, await startApp({ signInLimits: undefined }, sharing(app))]
})
afterAll(async () => {
  for (const one of processes.toReversed()) await one.close()
})

async function protectedPerson(username: string): Promise<Person & Factor> {
  const person = personOf(await signUp(app, { username }))
  return { ...person, ...(await addSecondFactor(app, person)) }
}

const wrongCode = '000000'

test('wrong codes of the app of an account make it wait, in all processes, whatever challenge or address they are sent with', async () => {
  const person = await protectedPerson('ada')
  const challenges = await Promise.all(Array.from({ length: 4 }, () => challengeFor(app, person)))
  const guesses = Array.from({ length: freeCodes + 6 }, (_, nth) =>
    confirmSignIn(processes[nth % 2] ?? app, challenges[nth % 4] ?? '', wrongCode),
  )
  const { INVALID_CREDENTIALS = 0, RATE_LIMITED = 0, ...others } = await outcomes(guesses)
  expect(others).toEqual({})
  expect(INVALID_CREDENTIALS).toBeGreaterThanOrEqual(freeCodes)
  // A wait of a second may end meanwhile on a slow machine.
  expect(RATE_LIMITED).toBeGreaterThanOrEqual(2)

  const { prisma } = app.database.write
  const where = { userId: person.id }
  await prisma.secondFactor.update({ where, data: { attempts: freeCodes + 20, attemptedAt: new Date() } })
  const [challenge = ''] = challenges
  const waiting = await confirmSignIn(app, challenge, codeOf(person.secret))
  expect(outcomeOf(waiting)).toBe('RATE_LIMITED')
  expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(890)
  const change = { currentPassword: password, newPassword: 'another good password', code: codeOf(person.secret) }
  expect(outcomeOf(await mutate(app, person, 'changePassword', change, 'viewer { uuid }'))).toBe('RATE_LIMITED')

  const [recovery = ''] = person.recoveryCodes
  expect(outcomeOf(await confirmSignIn(app, challenges[1] ?? '', recovery))).toBe('DONE')

  await prisma.secondFactor.update({
    where,
    data: { attempts: freeCodes + 20, attemptedAt: new Date(Date.now() - 901_000) },
  })
  expect(outcomeOf(await confirmSignIn(app, challenge, codeOf(person.secret)))).toBe('DONE')
  expect(await prisma.secondFactor.findUniqueOrThrow({ where })).toMatchObject({ attempts: 0 })
})

test('wrong codes from one address wait as wrong passwords do, and the right password does not reset their count', async () => {
  const limited = await startApp({ signInLimits: new SignInLimits(memoryLimiters, 600) }, sharing(app))
  const person = await protectedPerson('grace')
  const found: string[] = []
  for (let nth = 0; nth < freeAttempts.account + 2; nth += 1)
    found.push(outcomeOf(await confirmSignIn(limited, await challengeFor(limited, person), wrongCode)))
  expect(found).toEqual([
    ...Array.from({ length: freeAttempts.account + 1 }, () => 'INVALID_CREDENTIALS'),
    'RATE_LIMITED',
  ])
  await limited.close()
})

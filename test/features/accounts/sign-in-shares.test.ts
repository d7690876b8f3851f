import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { tally } from '../../support/graphql/outcomes.ts'
import { signInFrom, signUp } from '../../support/graphql/sign-in.ts'
import { queueing } from '../../support/passwords.ts'

const people = ['ada', 'grace', 'lise']

type Guess = { readonly from: string; readonly username: string; readonly headers?: Record<string, string> }

/** Does something while twenty connections guess passwords without pause, and more guesses wait than one address may have in progress. */
async function underGuesses(app: TestApp, guess: (nth: number) => Guess, meanwhile: () => Promise<void>) {
  let isOver = false
  let nth = 0
  const guesser = async () => {
    while (!isOver) {
      nth += 1
      const { from, username, ...more } = guess(nth)
      const outcome = await signInFrom(app, from, username, { secret: `guess ${nth}`, ...more })
      expect(['INVALID_CREDENTIALS', 'UNAVAILABLE']).toContain(outcome)
    }
  }
  const guessers = Array.from({ length: 20 }, guesser)
  try {
    await expect.poll(() => nth).toBeGreaterThan(guessers.length)
    await meanwhile()
  } finally {
    isOver = true
    await Promise.all(guessers)
  }
}

/** Signs everybody in, each from a different address. */
async function everybody(app: TestApp, headers: (nth: number) => Record<string, string> = () => ({})) {
  const outcomes = people.map((name, nth) => signInFrom(app, `127.0.2.${nth + 1}`, name, { headers: headers(nth) }))
  return tally(await Promise.all(outcomes))
}

describe('while passwords are guessed', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({ passwords: queueing(), signInLimits: undefined })
    for (const username of people) await signUp(app, { username })
  })
  afterAll(() => app.close())

  test.each<readonly [string, (nth: number) => Guess]>([
    ['one by many addresses', (nth) => ({ from: `127.0.1.${(nth % 200) + 1}`, username: 'ada' })],
    [
      'many by one address, which invents others in X-Forwarded-For',
      (nth) => ({
        from: '127.0.1.1',
        username: `name_${nth}`,
        headers: { 'x-forwarded-for': `198.51.100.${nth % 256}` },
      }),
    ],
  ])('%s, everyone can sign in, including the attacked account', async (_what, guess) => {
    expect(await everybody(app)).toEqual({ DONE: people.length })
    await underGuesses(app, guess, async () => {
      expect(await everybody(app)).toEqual({ DONE: people.length })
    })
  })

  test('of one account from many addresses, its owner signs in from a new address after a few attempts', async () => {
    const guess = (nth: number) => ({ from: `127.0.1.${(nth % 200) + 1}`, username: 'ada' })
    await underGuesses(app, guess, async () => {
      const signIn = () => signInFrom(app, '127.0.3.1', 'ada')
      await expect.poll(signIn, { interval: 1_000, timeout: 60_000 }).toBe('DONE')
    })
  })
})

test('behind a trusted proxy, clients are distinguished by X-Forwarded-For', async () => {
  const app = await startApp({ trustedProxies: 1, passwords: queueing(), signInLimits: undefined })
  for (const username of people) await signUp(app, { username })
  const by = (address: string) => ({ 'x-forwarded-for': address })
  const guess = (nth: number) => ({
    from: '127.0.0.1',
    username: `name_${nth}`,
    headers: by(`203.0.113.${nth % 256}, 198.51.100.1`),
  })
  await underGuesses(app, guess, async () => {
    expect(await everybody(app, (nth) => by(`203.0.113.7, 192.0.2.${nth}`))).toEqual({ DONE: people.length })
  })
  await app.close()
})

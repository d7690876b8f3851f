import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { renameAccount } from '../../src/domain/administration.ts'
import { Refusal } from '../../src/errors.ts'
import { type Answer, type Person, startApp, type TestApp } from '../support/app.ts'
import { heldUp } from '../support/held-up.ts'
import { mutate } from '../support/mutate.ts'
import { outcomeOf, tally } from '../support/outcomes.ts'
import { people } from '../support/publish.ts'
import { signUp } from '../support/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined })
})
afterAll(() => app.close())

const rounds = Array.from({ length: 10 }, (_, index) => index)
const rename = (person: Person, username: string) =>
  mutate(app, person, 'updateProfile', { username }, 'viewer { uuid }')
const outcomesOf = async (...answers: Promise<Answer>[]) => (await Promise.all(answers)).map(outcomeOf)

async function byOperator({ id }: Person, username: string): Promise<string> {
  const code = (error: unknown) => (error instanceof Refusal ? error.code : String(error))
  return renameAccount(app.database, id, username).then(() => 'DONE', code)
}

// No username is of two accounts, whatever happened.
afterEach(async () => {
  const shared: unknown[] = await app.database.write.prisma.$queryRaw`
    select f.username from former_usernames f join users u on lower(u.username) = f.username`
  expect(shared).toEqual([])
})

test('of many accounts that take a username at once, one gets it', async () => {
  for (const round of rounds) {
    const persons = await people(app, 3)
    const name = `Wanted_${round}`
    const outcomes = await outcomesOf(
      ...persons.map((person) => rename(person, name)),
      ...['', '_'].map((more) => signUp(app, { username: `${name}${more}`.toLowerCase() })),
    )
    expect(tally(outcomes)).toEqual({ DONE: 2, CONFLICT: 3 })
    expect(outcomes.at(-1)).toBe('DONE')
  }
})

test('a username that is being left goes to nobody else', async () => {
  for (const round of rounds) {
    const [leaver, other, third] = await people(app, 3)
    if (!leaver || !other || !third) throw new TypeError('Nobody is there')
    const [left, ...taken] = await Promise.all([
      rename(leaver, `left_${round}`).then(outcomeOf),
      rename(other, leaver.username).then(outcomeOf),
      signUp(app, { username: leaver.username.toUpperCase() }).then(outcomeOf),
      byOperator(third, leaver.username),
    ])
    expect([left, ...taken]).toEqual(['DONE', 'CONFLICT', 'CONFLICT', 'CONFLICT'])
  }
})

test('a username that was left by a transaction that others waited for goes to nobody else', async () => {
  const [leaver, other] = await people(app, 2)
  if (!leaver || !other) throw new TypeError('Nobody is there')
  const taken = await heldUp(
    app.database,
    (transaction) => transaction.user.update({ where: { id: leaver.id }, data: { username: 'left_in_time' } }),
    () => [rename(other, leaver.username), signUp(app, { username: leaver.username })],
  )
  expect(taken.map(outcomeOf)).toEqual(['CONFLICT', 'CONFLICT'])
})

test('an account goes back to its earlier username, whoever else wants it', async () => {
  for (const round of rounds) {
    const [owner, other] = await people(app, 2)
    if (!owner || !other) throw new TypeError('Nobody is there')
    expect(await outcomesOf(rename(owner, `gone_${round}`))).toEqual(['DONE'])
    const outcomes = await outcomesOf(
      signUp(app, { username: owner.username }),
      rename(owner, owner.username),
      rename(other, owner.username),
    )
    expect(outcomes).toEqual(['CONFLICT', 'DONE', 'CONFLICT'])
  }
})

test('a username that nobody keeps any more goes to its earlier account or to another one', async () => {
  for (const round of rounds) {
    const [owner, other] = await people(app, 2)
    if (!owner || !other) throw new TypeError('Nobody is there')
    await rename(owner, `moved_${round}`)
    const past = new Date(0)
    await app.database.write.prisma.formerUsername.updateMany({ data: { leftAt: past, keptUntil: past } })
    const outcomes = await outcomesOf(
      rename(owner, owner.username),
      rename(other, owner.username),
      signUp(app, { username: owner.username }),
    )
    expect(tally(outcomes)).toEqual({ DONE: 1, CONFLICT: 2 })
  }
})

test('two accounts cannot swap their usernames', async () => {
  for (const _round of rounds) {
    const [one, two] = await people(app, 2)
    if (!one || !two) throw new TypeError('Nobody is there')
    expect(await outcomesOf(rename(one, two.username), rename(two, one.username))).toEqual(['CONFLICT', 'CONFLICT'])
  }
})

test('an account changes its username once, however many requests ask for it at once', async () => {
  const [person] = await people(app, 1)
  if (!person) throw new TypeError('Nobody is there')
  const names = ['one', 'two', 'three', 'four'].map((name) => `of_${name}`)
  expect(tally(await outcomesOf(...names.map((name) => rename(person, name))))).toEqual({ DONE: 1, CONFLICT: 3 })
})

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Refusal } from '../../../src/engine/errors.ts'
import { renameAccount } from '../../../src/features/accounts/administration.ts'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { heldUp } from '../../support/database/locks.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { people } from '../../support/graphql/publish.ts'
import { signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined })
})
afterAll(() => app.close())

const rounds = Array.from({ length: 10 }, (_, index) => index)
const rename = (person: Person, username: string) =>
  mutate(app, person, 'updateProfile', { username }, 'viewer { uuid }')
const two = () => Promise.all([app.person(), app.person()])
const outcomesOf = async (...answers: Promise<Answer>[]) => (await Promise.all(answers)).map(outcomeOf)

async function byOperator({ id }: Person, username: string): Promise<string> {
  const code = (error: unknown) => (error instanceof Refusal ? error.code : String(error))
  return renameAccount(app.database, id, username).then(() => 'DONE', code)
}

// Whatever happened, no username belongs to two accounts.
afterEach(async () => {
  const shared: unknown[] = await app.database.write.prisma.$queryRaw`
    select f.username from former_usernames f join users u on lower(u.username) = f.username`
  expect(shared).toEqual([])
})

test('of several accounts that want a username at once, one gets it', async () => {
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

test('a username that is being changed goes to nobody else', async () => {
  for (const round of rounds) {
    const [leaver, other] = await two()
    const third = await app.person()
    const [left, ...taken] = await Promise.all([
      rename(leaver, `left_${round}`).then(outcomeOf),
      rename(other, leaver.username).then(outcomeOf),
      signUp(app, { username: leaver.username.toUpperCase() }).then(outcomeOf),
      byOperator(third, leaver.username),
    ])
    expect([left, ...taken]).toEqual(['DONE', 'CONFLICT', 'CONFLICT', 'CONFLICT'])
  }
})

test('a username goes to nobody else who waited while it was being changed', async () => {
  const [leaver, other] = await two()
  const taken = await heldUp(
    app.database,
    (transaction) => transaction.user.update({ where: { id: leaver.id }, data: { username: 'left_in_time' } }),
    () => [rename(other, leaver.username), signUp(app, { username: leaver.username })],
  )
  expect(taken.map(outcomeOf)).toEqual(['CONFLICT', 'CONFLICT'])
})

test('an account gets its former username back, whoever else wants it', async () => {
  for (const round of rounds) {
    const [owner, other] = await two()
    expect(await outcomesOf(rename(owner, `gone_${round}`))).toEqual(['DONE'])
    const outcomes = await outcomesOf(
      signUp(app, { username: owner.username }),
      rename(owner, owner.username),
      rename(other, owner.username),
    )
    expect(outcomes).toEqual(['CONFLICT', 'DONE', 'CONFLICT'])
  }
})

test('a username that is no longer reserved goes to one of those who want it', async () => {
  for (const round of rounds) {
    const [owner, other] = await two()
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

test('two accounts can each take what the other one frees', async () => {
  for (const round of rounds) {
    const [one, other] = await two()
    for (const person of [one, other]) expect(await byOperator(person, `${person.username}_${round}`)).toBe('DONE')
    const past = new Date(0)
    const where = { userId: { in: [one.id, other.id] } }
    await app.database.write.prisma.formerUsername.updateMany({ where, data: { leftAt: past, keptUntil: past } })
    expect(await outcomesOf(rename(one, other.username), rename(other, one.username))).toEqual(['DONE', 'DONE'])
  }
})

test('two accounts cannot swap their usernames', async () => {
  for (const _round of rounds) {
    const [one, other] = await two()
    expect(await outcomesOf(rename(one, other.username), rename(other, one.username))).toEqual(['CONFLICT', 'CONFLICT'])
  }
})

test('of several changes of a username at once, one is done', async () => {
  const person = await app.person()
  const names = ['one', 'two', 'three', 'four'].map((name) => `of_${name}`)
  expect(tally(await outcomesOf(...names.map((name) => rename(person, name))))).toEqual({ DONE: 1, CONFLICT: 3 })
})

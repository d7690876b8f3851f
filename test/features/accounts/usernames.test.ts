import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { day } from '../../../src/engine/day.ts'
import { checkAccount, createAccount } from '../../../src/features/accounts/accounts.ts'
import { accountDetails, accountId, addAccount, renameAccount } from '../../../src/features/accounts/administration.ts'
import { removeFormerUsernames } from '../../../src/features/accounts/profile.ts'
import { freeAttempts, SignInLimits } from '../../../src/features/accounts/sign-in-limits.ts'
import { renameDays, usernameKeptDays } from '../../../src/features/base/username.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { password, personOf, signIn, signInFrom, signUp } from '../../support/graphql/sign-in.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'
import { cheapPasswords } from '../../support/passwords.ts'

let app: TestApp
let reader: Person
let count = 0
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined })
  reader = await app.person()
})
afterAll(() => app.close())

/** Usernames that nobody has had. */
function fresh(word: string): string {
  count += 1
  return `${word}_${count}`
}

const rename = (person: Person, username: string, more: object = {}) =>
  mutate(app, person, 'updateProfile', { username, ...more }, 'viewer { username bio }')
const outcome = async (...request: Parameters<typeof rename>) => outcomeOf(await rename(...request))

/** An account that has changed its username, with the one that it had before. */
async function renamed() {
  const [before, after] = [fresh('Old'), fresh('New')]
  const person = personOf(await signUp(app, { username: before }))
  expect(outcomeOf(await rename(person, after))).toBe('DONE')
  return { ...person, before, after }
}

const found = z.object({ user: z.object({ uuid: z.uuid(), username: z.string() }).nullable() })

async function find(username: string) {
  const { data } = await app.graphql(reader.token, 'query ($by: UserBy!) { user(by: $by) { uuid username } }', {
    by: { username },
  })
  return found.parse(data).user
}

/** Lets these days pass for the former usernames of an account. */
const letDaysPass = ({ id }: Person, days: number) => app.database.write.prisma.$executeRaw`
  update former_usernames set left_at = left_at - make_interval(days => ${days}::int),
    kept_until = kept_until - make_interval(days => ${days}::int) where user_id = ${id}::uuid`

describe('a former username', () => {
  test('finds the account in GraphQL, which shows the new username', async () => {
    const { id, before, after } = await renamed()
    for (const name of [before, after, `@${before.toUpperCase()}`])
      expect(await find(name)).toEqual({ uuid: id, username: after })
    const { data } = await app.graphql(reader.token, 'query ($by: [UserBy!]!) { users(by: $by) { username } }', {
      by: [{ username: before }, { username: after }, { uuid: id }],
    })
    expect(data).toEqual({ users: [1, 2, 3].map(() => ({ username: after })) })
  })

  test('finds the account in the paths of REST', async () => {
    const { id, token, before, after } = await renamed()
    await publish(app, { token })
    const get = (path: string, headers = {}) => app.rest(reader.token, 'GET', path, undefined, headers)
    for (const path of ['', '/posts/1?limit=7', '/posts', '/followers?page=2'])
      expect([path, (await get(`/user/@${before}${path}`)).status]).toEqual([path, 200])
    expect(await (await get(`/user/@${before}`)).json()).toMatchObject({ uuid: id, username: after })
    for (const list of ['replies', 'following', 'likes', 'bookmarks', 'blocks', 'mutes'])
      expect([list, (await app.rest(token, 'GET', `/user/@${before}/${list}?page=1`)).status]).toEqual([list, 200])
    const { headers } = await get(`/user/@${after}`)
    expect((await get(`/user/@${before}`, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304)
    const follow = await app.rest(reader.token, 'POST', `/user/@${before}/follow`)
    expect(await follow.json()).toEqual({ action: 'followed', uuid: id })
  })

  test('works for signing in and as the author of a search', async () => {
    const { id, token, before, after } = await renamed()
    expect(personOf(await signIn(app, before))).toMatchObject({ id, username: after })
    expect(outcomeOf(await signIn(app, before, 'wrong'))).toBe('INVALID_CREDENTIALS')
    await expect(accountId(app.database, `@${before}`)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await publish(app, { token }, { content: 'a word of the renamed' })
    const { data } = await app.graphql(
      reader.token,
      'query ($by: UserBy!) { searchPublications(text: "renamed", author: $by) { nodes { author { username } } } }',
      { by: { username: before } },
    )
    expect(data).toEqual({ searchPublications: { nodes: [{ author: { username: after } }] } })
  })

  test('mentions the account, and finds its mentions', async () => {
    const { before, after } = await renamed()
    await publish(app, reader, { content: `Hello @${before}` })
    for (const name of [before, after]) {
      for (const text of [`@${name}`, `hello @${name}`]) {
        const { data } = await app.graphql(
          reader.token,
          'query ($text: String!) { searchPublications(text: $text) { nodes { content mentions { user { username } } } } }',
          { text },
        )
        const node = { content: `Hello @${before}`, mentions: [{ user: { username: after } }] }
        expect([text, data]).toEqual([text, { searchPublications: { nodes: [node] } }])
      }
    }
  })

  test('is reserved, whatever its case, also against the commands', async () => {
    const { before } = await renamed()
    const name = before.toUpperCase()
    expect(await signUp(app, { username: name })).toMatchObject({
      data: null,
      errors: [
        { message: 'This username is taken.', extensions: { code: 'CONFLICT', errors: [{ field: 'username' }] } },
      ],
    })
    expect((await rename(reader, before)).errors).toMatchObject([
      { message: 'This username is taken.', extensions: { code: 'CONFLICT', errors: [{ message: 'is taken' }] } },
    ])
    const refused = { code: 'CONFLICT' }
    const account = { username: name, password, email: 'ada@example.org' }
    await expect(addAccount(app.database, account)).rejects.toMatchObject(refused)
    await expect(renameAccount(app.database, reader.id, before)).rejects.toMatchObject(refused)
    expect((await find(reader.username))?.uuid).toBe(reader.id)
  })

  test(`is free after ${usernameKeptDays} days, before and after it is removed`, async () => {
    const people = [await renamed(), await renamed(), await renamed()] as const
    const [first, second, third] = people
    for (const person of people) await letDaysPass(person, usernameKeptDays - 1)
    expect(await find(first.before)).toMatchObject({ uuid: first.id })
    expect(await find(third.before)).toMatchObject({ uuid: third.id })
    for (const person of [first, second]) await letDaysPass(person, 1)
    expect(await find(first.before)).toBeNull()
    expect(outcomeOf(await signIn(app, first.before))).toBe('INVALID_CREDENTIALS')
    const heir = personOf(await signUp(app, { username: first.before }))
    await removeFormerUsernames(app.database)
    expect(await outcome(reader, second.before)).toBe('DONE')
    expect(await find(first.before)).toMatchObject({ uuid: heir.id })
    expect(await find(third.before)).toMatchObject({ uuid: third.id })
    expect(await outcome(first, first.before)).toBe('CONFLICT')
  })

  test('is free at once when the account is deleted', async () => {
    const person = await renamed()
    await deleteSuspended(app, person)
    for (const username of [person.before, person.after])
      expect(outcomeOf(await signUp(app, { username }))).toBe('DONE')
  })

  test('shares the count of wrong passwords with the new username', async () => {
    const { before, after } = await renamed()
    const slow = await startApp({ signInLimits: new SignInLimits(memoryLimiters, 600) }, sharing(app))
    const guess = (name: string) => signInFrom(slow, '127.0.8.1', name, { secret: 'not the password' })
    for (let attempt = 0; attempt <= freeAttempts.account; attempt += 1)
      expect(await guess(attempt % 2 ? before : after)).toBe('INVALID_CREDENTIALS')
    expect(await guess(before)).toBe('RATE_LIMITED')
    expect(await guess(after)).toBe('RATE_LIMITED')
    await slow.close()
  })
})

describe('changing the username', () => {
  test('changes the rest of the profile too, or nothing', async () => {
    const person = await renamed()
    expect((await rename(person, person.before, { bio: 'Back' })).data).toEqual({
      updateProfile: { viewer: { username: person.before, bio: 'Back' } },
    })
    expect(await outcome(person, reader.username, { bio: 'Gone' })).toBe('CONFLICT')
    const { data } = await app.graphql(person.token, '{ viewer { username bio } }')
    expect(data).toEqual({ viewer: { username: person.before, bio: 'Back' } })
  })

  test(`is possible once in ${renameDays} days, and says when next, on both APIs`, async () => {
    const person = await renamed()
    const next = fresh('Next')
    const { errors } = await rename(person, next)
    const [, time = ''] = /again from (\S+)\.$/.exec(errors[0]?.message ?? '') ?? []
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
    expect(errors[0]?.extensions.errors).toBeUndefined()
    expect(Math.abs(Date.parse(time) - Date.now() - renameDays * day)).toBeLessThan(60_000)
    const rest = await app.rest(person.token, 'PATCH', '/user', { username: next })
    expect([rest.status, await rest.json()]).toMatchObject([409, { code: 'CONFLICT', detail: errors[0]?.message }])
    expect(await find(next)).toBeNull()
    await letDaysPass(person, renameDays)
    expect(await outcome(person, next)).toBe('DONE')
    expect(await find(person.after)).toEqual({ uuid: person.id, username: next })
  })

  test('frees the username before the last one, so that nobody can collect usernames', async () => {
    const person = await renamed()
    await renameAccount(app.database, person.id, fresh('Next'))
    expect(await find(person.before)).toBeNull()
    const heir = personOf(await signUp(app, { username: person.before }))
    expect(await find(person.before)).toMatchObject({ uuid: heir.id })
    expect(outcomeOf(await signUp(app, { username: person.after }))).toBe('CONFLICT')
    expect(await outcome(person, person.before)).toBe('CONFLICT')
    expect(await outcome(person, person.after)).toBe('DONE')
  })

  test('back to a former one is possible at once, and any number of times', async () => {
    const person = await renamed()
    for (const name of [person.before, person.after, person.before]) {
      expect(await outcome(person, name)).toBe('DONE')
      expect(await find(name)).toMatchObject({ uuid: person.id, username: name })
    }
    expect(await outcome(person, fresh('Next'))).toBe('CONFLICT')
  })

  test('only in its case is always possible, and reserves nothing', async () => {
    const person = await renamed()
    for (const name of [person.after.toLowerCase(), person.after.toUpperCase(), person.after.toUpperCase()])
      expect((await rename(person, name)).data).toMatchObject({ updateProfile: { viewer: { username: name } } })
    const { formerUsername } = await accountDetails(app.database, person.after)
    expect(formerUsername?.username).toBe(person.before.toLowerCase())
  })

  test('is always possible for the operator', async () => {
    const person = await renamed()
    const next = fresh('Next')
    await renameAccount(app.database, person.id, next)
    expect(await find(person.after)).toEqual({ uuid: person.id, username: next })
    const refused = renameAccount(app.database, person.id, 'a b')
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    await renameAccount(app.database, person.id, 'Support')
    expect(await find('support')).toEqual({ uuid: person.id, username: 'Support' })
  })

  test('is done once with an Idempotency-Key, and a refusal changes nothing', async () => {
    const [person, next] = [await app.person(), fresh('Next')]
    const patch = (username: string, key: string) =>
      app.rest(person.token, 'PATCH', '/user', { username }, { 'idempotency-key': key })
    const statuses: unknown[] = []
    for (const [name, key] of [
      [reader.username, 'taken'],
      [reader.username, 'taken'],
      [next, 'next'],
      [next, 'next'],
    ] as const) {
      const { status, headers } = await patch(name, key)
      statuses.push([status, headers.get('idempotency-replayed')])
    }
    expect(statuses).toEqual([
      [409, null],
      [409, 'true'],
      [200, null],
      [200, 'true'],
    ])
    expect(await find(person.username)).toEqual({ uuid: person.id, username: next })
  })
})

test('only a username is refused as taken, not another value that must be unique', async () => {
  const account = await checkAccount({ username: fresh('Other'), email: 'o@example.org', password })
  const accounts = { database: app.database, passwords: cheapPasswords() }
  const create = createAccount(accounts, account, '127.0.0.1', async () => undefined, reader.id)
  await expect(create).rejects.toMatchObject({ code: 'P2010' })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAccount } from '../../../src/features/accounts/administration.ts'
import { reservedUsernames } from '../../../src/features/base/reserved-usernames.ts'
import { admitting, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  const rules = {
    reservedUsernames: reservedUsernames(['Mayor', 'town_hall']),
    refusedDomains: new Set(['spam.example', 'xn--bcher-kva.example', 'zip']),
  }
  app = await startApp({ ...admitting(rules), signInLimits: undefined, mail: { signInNotice: true } })
})
afterAll(() => app.close())

const refusalOf = (field: string, message: string) => [
  { extensions: { code: 'VALIDATION_FAILED', errors: [{ field, message }] } },
]

describe('a reserved username', () => {
  test.each(['postmaster', 'Security', 'mayor', 'MAYOR', 'townhall', '_m_o_d_'])('%s is refused', async (username) => {
    const refused = refusalOf('username', 'is reserved')
    expect((await signUp(app, { username })).errors).toMatchObject(refused)
    const rename = await mutate(app, await app.person(), 'updateProfile', { username }, 'viewer { uuid }')
    expect(rename.errors).toMatchObject(refused)
  })

  test('can still be a part of others, and the operator can give it', async () => {
    for (const username of ['mayor_1', 'the_mayor', 'modest'])
      expect(outcomeOf(await signUp(app, { username }))).toBe('DONE')
    const account = { username: 'mayor', email: 'mayor@example.org', password }
    const id = await addAccount(app.database, account)
    expect(id).toMatch(/-/)
    const person = {
      id,
      username: 'mayor',
      token: await app.token({ id, username: 'mayor', token: '' }, ['account.manage', 'user.get']),
    }
    const rename = (username: string) => mutate(app, person, 'updateProfile', { username }, 'viewer { username }')
    for (const username of ['mayor', 'Mayor', 'not_mayor', 'Mayor'])
      expect(outcomeOf(await rename(username))).toBe('DONE')
  })
})

const domainMessage = 'is at a domain that this server does not accept'

describe('an address at a refused domain', () => {
  test.each(['a@spam.example', 'a@SPAM.Example', 'a@mx.eu.spam.example', 'a@bücher.example', 'a@any.zip'])(
    '%s is refused, with all other errors',
    async (email) => {
      const { data, errors } = await signUp(app, { username: 'root', email })
      const both = [
        { field: 'username', message: 'is reserved' },
        { field: 'email', message: domainMessage },
      ]
      expect([data, errors]).toMatchObject([null, [{ extensions: { code: 'VALIDATION_FAILED', errors: both } }]])
    },
  )

  test('cannot become that of an account either', async () => {
    const person = personOf(await signUp(app, { username: 'mover' }))
    const change = (email: string) => mutate(app, person, 'changeEmail', { email, password }, 'viewer { uuid }')
    expect((await change('me@mx.spam.example')).errors).toMatchObject(refusalOf('email', domainMessage))
    expect(outcomeOf(await change('me@ham.example'))).toBe('DONE')
  })

  test('is another one than that of a domain with the same end, which is accepted', async () => {
    for (const [username, email] of [
      ['ham', 'a@ham-spam.example'],
      ['jam', 'a@spam.example.org'],
    ] as const)
      expect(outcomeOf(await signUp(app, { username, email }))).toBe('DONE')
  })

  test('is accepted from the operator', async () => {
    const account = { username: 'friend', email: 'friend@spam.example', password }
    const id = await addAccount(app.database, account)
    const person = {
      id,
      username: 'friend',
      token: await app.token({ id, username: 'friend', token: '' }, ['account.manage', 'user.get']),
    }
    const verify = { email: account.email, password }
    expect(outcomeOf(await mutate(app, person, 'changeEmail', verify, 'viewer { uuid }'))).toBe('DONE')
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { staleness } from '../../src/engine/auth/viewers.ts'
import { issueTokenTo } from '../../src/features/accounts/administration.ts'
import { scopes } from '../../src/features/base/scopes.ts'
import { createInvitationOfOperator } from '../../src/features/invitations/invitations.ts'
import { graphqlAt, type Person, type TestApp } from '../support/app.ts'
import { onPostgres } from '../support/database.ts'
import { mutate } from '../support/graphql/mutate.ts'
import { outcomeOf, outcomes, tally } from '../support/graphql/outcomes.ts'
import { personOf, signIn, signUp } from '../support/graphql/sign-in.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'

type Server = Pick<TestApp, 'graphql'>

/** How long another process may take to notice, in milliseconds, on a machine that is slow. */
const noticed = { timeout: staleness + 2_000 }

describe.runIf(onPostgres)('joining, with two processes on one database', { timeout: 60_000 }, () => {
  let database: CommandDatabase
  let here: Server
  let there: Server
  let mo: Pick<Person, 'token'>
  beforeAll(async () => {
    database = await commandDatabase()
    await database.use(async (opened) => {
      const data = { id: crypto.randomUUID(), username: 'mo', displayName: 'Mo', email: 'mo@example.org' }
      const { id: userId } = await opened.write.prisma.user.create({ data: { ...data, moderatorSince: new Date() } })
      mo = await issueTokenTo(opened, { userId, name: 'Test', scopes, expiresAt: null })
    })
    const env = { ...database.env, SIGN_UP: 'approval', RATE_LIMIT: 'off' }
    const [one, other] = await Promise.all([startRookery(env), startRookery(env)])
    here = { graphql: graphqlAt(one.origin) }
    there = { graphql: graphqlAt(other.origin) }
  }, 60_000)
  afterAll(async () => {
    await endProcesses()
    await database.remove()
  })

  /** What both do at the same time, four times each. */
  const atBoth = <T>(work: (server: Server, nth: number) => Promise<T>) =>
    Promise.all([here, there, here, there, here, there, here, there].map(work))

  const applicant = async (username: string) =>
    personOf(await signUp(here, { username, email: `${username}@example.org`, reason: 'I weave.' }))
  const write = async (server: Server, person: Person) =>
    outcomeOf(await mutate(server, person, 'sendPost', { content: 'Hello' }, 'publication { uuid }'))
  const read = async (server: Server, { token }: Person) =>
    outcomeOf(await server.graphql(token, '{ publicTimeline(first: 1) { nodes { uuid } } }'))
  const moderate = async (server: Server, mutation: string, input: object, fields = 'user { uuid }') =>
    outcomeOf(await mutate(server, mo, mutation, input, fields))

  test('the last use of an invitation is for one, of those who want it at both', async () => {
    let code = ''
    await database.use(async (opened) => {
      code = (await createInvitationOfOperator(opened, {})).code
    })
    const join = (server: Server, nth: number) =>
      signUp(server, { username: `invited_${nth}`, email: `invited_${nth}@example.org`, invitation: code })
    expect(tally((await atBoth(join)).map(outcomeOf))).toEqual({ DONE: 1, VALIDATION_FAILED: 7 })
    await database.use(async ({ write: { prisma } }) => {
      expect(await prisma.user.count({ where: { username: { startsWith: 'invited' } } })).toBe(1)
      expect((await prisma.invitation.findFirst())?.uses).toBe(1)
    })
  })

  test('an account that one approves writes there at once, and soon at the other', async () => {
    const person = await applicant('weaver')
    expect(await Promise.all([write(here, person), write(there, person)])).toEqual(['FORBIDDEN', 'FORBIDDEN'])
    const [during, approved] = await Promise.all([
      atBoth((server) => write(server, person)),
      moderate(here, 'approveAccount', { uuid: person.id }),
    ])
    expect(approved).toBe('DONE')
    const { DONE = 0, FORBIDDEN = 0 } = tally(during)
    expect(DONE + FORBIDDEN).toBe(8)
    expect(await write(here, person)).toBe('DONE')
    await expect.poll(() => write(there, person), noticed).toBe('DONE')
    await database.use(async ({ write: { prisma } }) =>
      expect(await prisma.publication.count({ where: { authorId: person.id } })).toBe(DONE + 2),
    )
  })

  test('a suspension by one soon counts at the other, and of the appeals at both one is sent, and answered once', async () => {
    const person = await applicant('rook')
    await moderate(there, 'approveAccount', { uuid: person.id })
    await expect.poll(() => write(here, person), noticed).toBe('DONE')
    expect(await write(there, person)).toBe('DONE')
    expect(await moderate(here, 'suspendUser', { uuid: person.id, reason: 'Spam' })).toBe('DONE')
    expect(await read(here, person)).toBe('ACCOUNT_SUSPENDED')
    await expect.poll(() => read(there, person), noticed).toBe('ACCOUNT_SUSPENDED')

    const appeals = await atBoth((server) => mutate(server, person, 'appeal', { text: 'No' }, 'appeal { uuid }'))
    expect(tally(appeals.map(outcomeOf))).toEqual({ DONE: 1, CONFLICT: 7 })
    const [sent] = appeals.filter(({ errors }) => errors.length === 0)
    const { uuid } = z.object({ appeal: z.object({ appeal: z.object({ uuid: z.uuid() }) }) }).parse(sent?.data)
      .appeal.appeal
    const input = { uuid, accept: true, answer: 'You are right.' }
    const answers = atBoth((server) => moderate(server, 'answerAppeal', input, 'appeal { uuid }'))
    expect(tally(await answers)).toEqual({ DONE: 1, CONFLICT: 7 })
    for (const server of [here, there]) await expect.poll(() => write(server, person), noticed).toBe('DONE')
  })

  test('an account that one rejects is over at once, and its tokens soon at the other', async () => {
    const person = await applicant('spammer')
    const second = personOf(await signIn(there, 'spammer'))
    for (const one of [person, second])
      expect(await Promise.all([read(here, one), read(there, one)])).toEqual(['DONE', 'DONE'])
    expect(await moderate(here, 'rejectAccount', { uuid: person.id, reason: 'No looms' })).toBe('DONE')
    expect(await outcomes([signIn(here, 'spammer'), signIn(there, 'spammer')])).toEqual({ INVALID_CREDENTIALS: 2 })
    for (const one of [person, second]) {
      expect(await read(here, one)).toBe('UNAUTHENTICATED')
      await expect.poll(() => read(there, one), noticed).toBe('UNAUTHENTICATED')
    }
  })
})

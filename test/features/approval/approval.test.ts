import { GraphQLObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approveAccount, listPendingAccounts, rejectAccount } from '../../../src/features/approval/approval.ts'
import { blocks, follows, mutes } from '../../../src/features/base/relations.ts'
import { createInvitationOfOperator } from '../../../src/features/invitations/invitations.ts'
import { schema } from '../../../src/server/schema.ts'
import { admitting, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { logOf, moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { addSecondFactor, codeOf } from '../../support/graphql/second-factor.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { connectAgent } from '../../support/http/mcp.ts'
import { type MailServer, startMailServer, textOfMail } from '../../support/processes/mail-server.ts'
import { startMailing } from '../../support/processes/mailing.ts'
import { usesOf } from '../../support/schema/sample-operations.ts'

const mutations = new GraphQLObjectType(schema.getMutationType()?.toConfig() ?? { name: 'None', fields: {} })

let app: TestApp
let mo: Person
let ada: Person
let mails: MailServer
let stopMailing: () => Promise<void>
beforeAll(async () => {
  mails = await startMailServer()
  app = await startApp({
    ...admitting({ signUp: 'approval' }),
    signInLimits: undefined,
    mail: { signInNotice: false },
  })
  stopMailing = startMailing(app, mails.url)
  mo = await moderator(app, 'mo')
  ada = await app.person('ada')
})
afterAll(async () => {
  await stopMailing()
  await app.close()
  await mails.close()
})

const reason = 'I weave.'
let count = 0
/** An account that waits for approval. */
async function applicant(): Promise<Person> {
  count += 1
  const username = `applicant_${count}`
  return personOf(await signUp(app, { username, email: `${username}@mail.example`, reason }))
}

const approve = (person: Person, by = mo) =>
  mutate(app, by, 'approveAccount', { uuid: person.id }, 'user { uuid username }')
const reject = (person: Person, by = mo) =>
  mutate(app, by, 'rejectAccount', { uuid: person.id, reason: 'Too few looms' }, 'user { username }')
const find = async (person: Person, by: Person) => {
  const query = 'query ($by: UserBy!) { user(by: $by) { uuid } }'
  const { data } = await app.graphql(by.token, query, { by: { username: person.username } })
  return z.object({ user: z.object({ uuid: z.uuid() }).nullable() }).parse(data).user?.uuid
}
const isApproved = async (token: string) => (await app.graphql(token, '{ viewer { isApproved } }')).data
/** What the e-mails to an account say. */
const mailsTo = ({ username }: Person) =>
  mails
    .to(`${username}@mail.example`)
    .map((mail) => textOfMail(mail))
    .join()

const changes = () => app.database.write.prisma.change.count()

describe('an account that waits for approval', () => {
  test('says why its owner wants to join, unless they have an invitation', async () => {
    for (const none of [undefined, null, ''])
      expect((await signUp(app, { username: 'wordless', reason: none })).errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'reason' }] } },
      ])
    for (const wrong of [' ', 'a'.repeat(501), 'a\0'])
      expect(outcomeOf(await signUp(app, { username: 'wordy', reason: wrong }))).toBe('VALIDATION_FAILED')
    const { code } = await createInvitationOfOperator(app.database, {})
    const { token } = personOf(await signUp(app, { username: 'invited', invitation: code }))
    expect(await isApproved(token)).toEqual({ viewer: { isApproved: true } })
  })

  test('signs in and reads, and its own reads say that it waits', async () => {
    const waiting = await applicant()
    const uuid = await publish(app, ada, { content: 'Hello' })
    const { token } = personOf(await signIn(app, waiting.username))
    expect(await isApproved(token)).toEqual({ viewer: { isApproved: false } })
    const { data } = await app.graphql(token, '{ publicTimeline(first: 1) { nodes { uuid author { isApproved } } } }')
    expect(data).toEqual({ publicTimeline: { nodes: [{ uuid, author: { isApproved: null } }] } })
    expect((await app.rest(token, 'GET', '/timeline/public')).status).toBe(200)
    expect(await (await app.rest(token, 'GET', '/user?view=full')).json()).toMatchObject({ is_approved: false })
  })

  test('is found by nobody but moderators, changes no feed, and is reached by no write', async () => {
    const before = await changes()
    const waiting = await applicant()
    expect(await changes()).toBe(before)
    expect(await find(waiting, ada)).toBeUndefined()
    expect(await find(waiting, mo)).toBe(waiting.id)
    expect((await app.rest(ada.token, 'GET', `/user/@${waiting.username}`)).status).toBe(404)
    for (const relation of [follows, mutes, blocks])
      expect(outcomeOf(await setRelation(app, ada, relation, waiting.id, true))).toBe('NOT_FOUND')
    const uuid = await publish(app, ada, { content: `Hello @${waiting.username}` })
    const found = await app.graphql(ada.token, `{ post(uuid: "${uuid}") { ... on Post { mentions { start } } } }`)
    expect(found.data).toEqual({ post: { mentions: [] } })
    const search = await app.graphql(ada.token, `{ searchUsers(text: "${waiting.username}") { uuid } }`)
    expect(search.data).toEqual({ searchUsers: [] })
  })

  test('writes nothing by GraphQL, but for what stays open to everybody', async () => {
    const waiting = await applicant()
    const open: string[] = []
    for (const [name, use] of usesOf(mutations)) {
      const token = await app.token(waiting, ['post.get', 'account.manage'])
      const { status, errors } = await app.graphql(token, `mutation { ${use} }`)
      const [error] = errors
      if (error?.extensions.reason === 'NOT_APPROVED' && status === 403) continue
      open.push(name)
    }
    const withoutToken = ['confirmSignIn', 'requestPasswordReset', 'resetPassword', 'signIn', 'signUp', 'verifyEmail']
    const own = ['changeEmail', 'changePassword', 'deleteAccount', 'signOut']
    const access = ['disconnectApplication', 'revokeAccessToken', 'revokeAuthorization', 'revokeOtherTokens']
    const ofFactor = ['beginSecondFactor', 'confirmSecondFactor', 'removeSecondFactor', 'renewRecoveryCodes']
    expect(open.sort()).toEqual([...own, ...access, ...ofFactor, ...withoutToken].sort())
  })

  test('mends a mistyped address, and changes its password, on both APIs', async () => {
    const waiting = await applicant()
    const change = (email: string) => mutate(app, waiting, 'changeEmail', { email, password }, 'viewer { uuid }')
    expect(outcomeOf(await change('first@mail.example'))).toBe('DONE')
    const newEmail = { email: 'second@mail.example', password }
    expect((await app.rest(waiting.token, 'PUT', '/email', newEmail)).status).toBe(200)
    for (const email of ['first@mail.example', 'second@mail.example'])
      await expect
        .poll(() =>
          mails
            .to(email)
            .map((mail) => textOfMail(mail))
            .join(),
        )
        .toContain('/verify?token=')
    const [newPassword, latest] = ['weaving at night', 'weaving by day']
    const changed = await mutate(
      app,
      waiting,
      'changePassword',
      { currentPassword: password, newPassword },
      'viewer { uuid }',
    )
    expect(outcomeOf(changed)).toBe('DONE')
    const body = { current_password: newPassword, new_password: latest }
    expect((await app.rest(waiting.token, 'PUT', '/password', body)).status).toBe(200)
    expect(await isApproved(personOf(await signIn(app, waiting.username, latest)).token)).toEqual({
      viewer: { isApproved: false },
    })
  })

  test('sets up a second factor, as on the pages, and removes it', async () => {
    const waiting = await applicant()
    const { secret } = await addSecondFactor(app, waiting)
    const read = () => app.rest(waiting.token, 'GET', '/second-factor')
    expect((await read()).status).toBe(200)
    const removal = { password, code: codeOf(secret) }
    expect((await app.rest(waiting.token, 'DELETE', '/second-factor', removal)).status).toBe(200)
    expect((await read()).status).toBe(404)
  })

  test('writes nothing by REST, MCP or an application either, and is told why', async () => {
    const waiting = await applicant()
    const { id: applicationId } = await app.database.write.prisma.application.create({
      data: { id: waiting.id, ownerId: ada.id, name: 'A client' },
    })
    const ofApplication = await app.token(waiting, ['post.get', 'post.send'], { applicationId })
    for (const token of [waiting.token, ofApplication]) {
      const answer = await app.rest(token, 'POST', '/post', { content: 'Me too' })
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { code: 'FORBIDDEN', reason: 'NOT_APPROVED', detail: expect.stringContaining('only read') },
      ])
    }
    const agent = await connectAgent(app.origin, waiting.token)
    const operation = 'mutation { sendPost(input: { content: "Me too" }) { publication { uuid } } }'
    expect(await agent.call('mutate', { operation })).toMatchObject({ text: expect.stringContaining('NOT_APPROVED') })
    expect(await agent.json('query', { operation: '{ viewer { isApproved } }' })).toMatchObject({
      data: { viewer: { isApproved: false } },
    })
    await agent.client.close()
    expect(await app.database.write.prisma.publication.count({ where: { authorId: waiting.id } })).toBe(0)
  })
})

describe('approving an account', () => {
  test('shows it to everybody and lets it write at once, with an e-mail and an entry of the log', async () => {
    const waiting = await applicant()
    expect(outcomeOf(await mutate(app, waiting, 'sendPost', { content: 'Now?' }, 'publication { uuid }'))).toBe(
      'FORBIDDEN',
    )
    expect((await approve(waiting)).data).toEqual({
      approveAccount: { user: { uuid: waiting.id, username: waiting.username } },
    })
    expect(await find(waiting, ada)).toBe(waiting.id)
    await publish(app, waiting, { content: 'Hello' })
    expect(await isApproved(waiting.token)).toEqual({ viewer: { isApproved: true } })
    const newest = await app.database.write.prisma.change.findFirst({
      where: { kind: 'ACCOUNT_SHOWN' },
      orderBy: { number: 'desc' },
    })
    expect(newest?.userId).toBe(waiting.id)
    expect(await logOf(app, mo, 1)).toMatchObject([
      { action: 'USER_APPROVED', actor: { username: 'mo' }, user: { uuid: waiting.id } },
    ])
    await expect.poll(() => mailsTo(waiting)).toMatch(/A moderator approved the account/)
    expect(mailsTo(waiting)).not.toMatch(/approved(?:(?!-- )[\s\S])*If you did not/)
    expect(outcomeOf(await approve(waiting))).toBe('DONE')
  })

  test('is only for moderators', async () => {
    const waiting = await applicant()
    for (const act of [approve, reject]) expect(outcomeOf(await act(waiting, ada))).toBe('INSUFFICIENT_SCOPE')
    expect(await isApproved(waiting.token)).toEqual({ viewer: { isApproved: false } })
  })

  test('takes effect between writes: each is refused or done, never half', async () => {
    const waiting = await applicant()
    const other = await startApp({ ...admitting({ signUp: 'approval' }), signInLimits: undefined }, sharing(app))
    const write = (on: TestApp) => mutate(on, waiting, 'sendPost', { content: 'Early' }, 'publication { uuid }')
    const writes = await Promise.all([
      ...[app, other, app, other].map(write),
      approve(waiting),
      ...[app, other].map(write),
    ])
    const outcomes = tally(writes.map(outcomeOf))
    const { DONE = 0, FORBIDDEN = 0 } = outcomes
    expect(DONE + FORBIDDEN).toBe(7)
    expect(await app.database.write.prisma.publication.count({ where: { authorId: waiting.id } })).toBe(DONE - 1)
    await other.close()
  })
})

describe('rejecting an account', () => {
  test('says why by e-mail, is logged, and erases the account, of which no feed tells', async () => {
    const waiting = await applicant()
    const before = await changes()
    expect((await reject(waiting)).data).toEqual({ rejectAccount: { user: { username: waiting.username } } })
    expect(await logOf(app, mo, 1)).toMatchObject([
      { action: 'USER_REJECTED', reason: 'Too few looms', username: waiting.username },
    ])
    await expect.poll(() => mailsTo(waiting)).toMatch(/Too few looms/)
    expect(mailsTo(waiting)).not.toMatch(/rejected [\s\S]*If you did not/)
    expect(outcomeOf(await app.graphql(waiting.token, '{ viewer { uuid } }'))).toBe('UNAUTHENTICATED')
    expect(outcomeOf(await signIn(app, waiting.username))).toBe('INVALID_CREDENTIALS')
    await expect
      .poll(() => app.database.write.prisma.user.count({ where: { id: waiting.id } }), { timeout: 20_000 })
      .toBe(0)
    expect(await changes()).toBe(before)
    expect(await app.database.write.prisma.hiddenAccount.count({ where: { userId: waiting.id } })).toBe(0)
  }, 30_000)

  test('is refused for an account that does not wait', async () => {
    const waiting = await applicant()
    await approve(waiting)
    expect(outcomeOf(await reject(waiting))).toBe('CONFLICT')
    expect(outcomeOf(await reject(await applicant()))).toBe('DONE')
  })

  test('excludes an approval at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const waiting = await applicant()
      const outcomes = (await Promise.all([approve(waiting), reject(waiting)])).map(outcomeOf)
      expect([
        ['DONE', 'CONFLICT'],
        ['NOT_FOUND', 'DONE'],
      ]).toContainEqual(outcomes)
      expect(await find(waiting, ada)).toBe(outcomes[0] === 'DONE' ? waiting.id : undefined)
    }
  })
})

test('accounts that wait are listed for moderators and the operator, newest first, until their owners delete them', async () => {
  const [one, two] = [await applicant(), await applicant()]
  const query = '{ pendingAccounts(first: 2) { nodes { reason user { username } } } }'
  expect((await app.graphql(mo.token, query)).data).toEqual({
    pendingAccounts: { nodes: [two, one].map(({ username }) => ({ reason, user: { username } })) },
  })
  const { rows } = await listPendingAccounts(app.database, { limit: 1, after: undefined })
  expect(rows).toMatchObject([{ id: two.id, username: two.username, reason }])
  const { uuid } = { uuid: two.id }
  await rejectAccount(app.database, 'operator', { uuid, reason: 'No', sendsMail: false }, async () => undefined)
  expect(await approveAccount(app.database, 'operator', { uuid: one.id, sendsMail: false })).toBe(true)
  expect(await approveAccount(app.database, 'operator', { uuid: one.id, sendsMail: false })).toBe(false)
  expect(await find(two, ada)).toBeUndefined()
  expect((await app.graphql(mo.token, query)).data).not.toMatchObject({
    pendingAccounts: { nodes: [{ user: { username: two.username } }] },
  })
})

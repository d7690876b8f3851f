import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hashToken, newToken } from '../../../src/engine/auth/viewers.ts'
import { newId } from '../../../src/engine/data/ids.ts'
import { day } from '../../../src/engine/day.ts'
import { requestAccountDeletion } from '../../../src/features/accounts/deletion-request.ts'
import {
  createInvitationOfOperator,
  listInvitations,
  maxInvitations,
  removeExpiredInvitations,
  revokeInvitation,
} from '../../../src/features/invitations/invitations.ts'
import { setModerator } from '../../../src/features/moderation/moderation.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { admitting, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { logOf, moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { personOf, signUp } from '../../support/graphql/sign-in.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let mo: Person
beforeAll(async () => {
  app = await startApp({ ...admitting({ signUp: 'invitation', invitations: 'moderators' }), signInLimits: undefined })
  mo = await moderator(app, 'mo')
})
afterAll(() => app.close())

const created = z.object({ createInvitation: z.object({ code: z.string(), invitation: z.object({ uuid: z.uuid() }) }) })
const create = (person: Person, input: object = {}, of = app) =>
  mutate(of, person, 'createInvitation', input, 'code invitation { uuid maxUses uses expiresAt }')

/** A new invitation of a moderator, by default of the usual one. */
async function invitationOf(person = mo, input: object = {}) {
  const { code, invitation } = created.parse((await create(person, input)).data).createInvitation
  return { code, uuid: invitation.uuid }
}

let count = 0
const join = (invitation?: string | null, of = app) => {
  count += 1
  return signUp(of, { username: `invited_${count}`, invitation })
}
const revoke = (person: Person, uuid: string) =>
  mutate(app, person, 'revokeInvitation', { uuid }, 'invitation { uuid uses }')
const usesOf = async (uuid: string) =>
  (await app.database.write.prisma.invitation.findUnique({ where: { id: uuid } }))?.uses
const unusable = [
  {
    extensions: {
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'invitation', message: 'is wrong, was used up or has expired' }],
    },
  },
]

describe('signing up with an invitation', () => {
  test('creates an account, counts the use, and shows moderators who invited whom', async () => {
    const { code, uuid } = await invitationOf()
    const { id } = personOf(await join(code))
    expect(await usesOf(uuid)).toBe(1)
    const query = 'query ($by: UserBy!) { user(by: $by) { invitedBy { username } } }'
    expect((await app.graphql(mo.token, query, { by: { uuid: id } })).data).toEqual({
      user: { invitedBy: { username: 'mo' } },
    })
    const other = await app.person()
    expect(outcomeOf(await app.graphql(other.token, query, { by: { uuid: id } }))).toBe('INSUFFICIENT_SCOPE')
  })

  test('is required where sign-up is for invited people, and useless where it is closed', async () => {
    for (const none of [undefined, null, ''])
      expect((await join(none)).errors).toMatchObject([
        { extensions: { code: 'FORBIDDEN', reason: 'INVITATION_REQUIRED' } },
      ])
    const { code, uuid } = await invitationOf()
    const closed = await startApp({ ...admitting({ signUp: 'closed' }), signInLimits: undefined }, sharing(app))
    expect((await join(code, closed)).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', reason: 'SIGN_UP_CLOSED' } },
    ])
    expect(await usesOf(uuid)).toBe(0)
    await closed.close()
  })

  test.each(['', ' ', 'nonsense', `rookery_${'A'.repeat(43)}`, 'a\0'])(
    'that is wrong is refused, even where anybody can sign up: %j',
    async (code) => {
      const open = await startApp({ ...admitting({ signUp: 'open' }), signInLimits: undefined }, sharing(app))
      const { errors } = await join(code, open)
      if (code === '') expect(errors).toEqual([])
      else expect(errors).toMatchObject(unusable)
      await open.close()
    },
  )

  test('does not spend the invitation if anything else is refused', async () => {
    const { code, uuid } = await invitationOf()
    expect(outcomeOf(await signUp(app, { username: 'mo', invitation: code }))).toBe('CONFLICT')
    expect(outcomeOf(await signUp(app, { username: 'a b', invitation: code }))).toBe('VALIDATION_FAILED')
    expect(await usesOf(uuid)).toBe(0)
    expect(outcomeOf(await join(code))).toBe('DONE')
    expect((await join(code)).errors).toMatchObject(unusable)
    expect(await usesOf(uuid)).toBe(1)
  })

  test('works for as many accounts as it has uses, however many want one at once', async () => {
    for (const maxUses of [1, 3]) {
      const { code, uuid } = await invitationOf(mo, { maxUses })
      const outcomes = (await Promise.all(Array.from({ length: 6 }, () => join(code)))).map(outcomeOf)
      expect(tally(outcomes)).toEqual({ DONE: maxUses, VALIDATION_FAILED: 6 - maxUses })
      expect(await usesOf(uuid)).toBe(maxUses)
    }
  })

  test('is over when it expires', async () => {
    const { code, uuid } = await invitationOf()
    const past = new Date(Date.now() - 1)
    await app.database.write.prisma.invitation.update({ where: { id: uuid }, data: { expiresAt: past } })
    expect((await join(code)).errors).toMatchObject(unusable)
    await removeExpiredInvitations(app.database)
    expect(await usesOf(uuid)).toBeUndefined()
  })

  test('requires that its creator may still invite, and is not suspended or being deleted', async () => {
    const other = await moderator(app)
    const { code } = await invitationOf(other, { maxUses: 9 })
    const { prisma } = app.database.write
    const act = { uuid: other.id }
    for (const [end, begin] of [
      [() => setModerator(app.database, other.id, false), () => setModerator(app.database, other.id, true)],
      [
        () => setSuspended(app.database, 'operator', act, true),
        () => setSuspended(app.database, 'operator', act, false),
      ],
      [
        () => prisma.$transaction((transaction) => requestAccountDeletion(transaction, other.id, { days: 7 })),
        () => prisma.accountDeletion.delete({ where: { userId: other.id } }),
      ],
    ] as const) {
      await end()
      expect((await join(code)).errors).toMatchObject(unusable)
      await begin()
      expect(outcomeOf(await join(code))).toBe('DONE')
    }
  })

  test('of an account that was deleted is refused, and whom it invited stays', async () => {
    const other = await moderator(app)
    const { code } = await invitationOf(other, { maxUses: 9 })
    const guest = personOf(await join(code))
    await deleteSuspended(app, other)
    expect((await join(code)).errors).toMatchObject(unusable)
    const query = 'query ($by: UserBy!) { user(by: $by) { username invitedBy { username } } }'
    expect((await app.graphql(mo.token, query, { by: { uuid: guest.id } })).data).toEqual({
      user: { username: guest.username, invitedBy: null },
    })
  })
})

describe('an invitation', () => {
  test('is created by moderators only, unless members may', async () => {
    const member = await app.person()
    expect((await create(member)).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', reason: 'INVITATIONS_OF_MODERATORS' } },
    ])
    const liberal = await startApp({ ...admitting({ signUp: 'invitation' }), signInLimits: undefined }, sharing(app))
    const { code } = created.parse((await create(member, {}, liberal)).data).createInvitation
    expect(outcomeOf(await join(code, liberal))).toBe('DONE')
    expect((await join(code)).errors).toMatchObject(unusable)
    await liberal.close()
  })

  test('has one use and a week by default, and at most 100 and 90 days', async () => {
    const { data } = await create(mo)
    const { invitation } = z
      .object({ createInvitation: z.object({ invitation: z.record(z.string(), z.unknown()) }) })
      .parse(data).createInvitation
    expect(invitation).toMatchObject({ maxUses: 1, uses: 0 })
    expect(Math.abs(Date.parse(String(invitation.expiresAt)) - Date.now() - 7 * day)).toBeLessThan(60_000)
    for (const body of [undefined, {}, { max_uses: null }]) {
      const answer = await app.rest(mo.token, 'POST', '/invitation', body)
      expect([answer.status, await answer.json()]).toMatchObject([200, { invitation: { max_uses: 1 } }])
    }
    const at = (days: number) => new Date(Date.now() + days * day).toISOString()
    expect(outcomeOf(await create(mo, { maxUses: 100, expiresAt: at(89) }))).toBe('DONE')
    for (const [input, field] of [
      [{ maxUses: 0 }, 'maxUses'],
      [{ maxUses: 101 }, 'maxUses'],
      [{ expiresAt: at(91) }, 'expiresAt'],
      [{ expiresAt: at(-1) }, 'expiresAt'],
    ] as const)
      expect((await create(mo, input)).errors).toMatchObject([{ extensions: { errors: [{ field }] } }])
  })

  test('is listed for its creator and for moderators, without its code', async () => {
    const other = await moderator(app)
    const { uuid } = await invitationOf(other)
    const { data } = await app.graphql(other.token, '{ invitations { nodes { uuid creator { username } uses } } }')
    expect(data).toEqual({ invitations: { nodes: [{ uuid, creator: { username: other.username }, uses: 0 }] } })
    const all = await app.graphql(mo.token, '{ allInvitations(first: 1) { nodes { uuid } } }')
    expect(all.data).toEqual({ allInvitations: { nodes: [{ uuid }] } })
    expect(JSON.stringify((await listInvitations(app.database, { limit: 5, after: undefined })).rows)).not.toContain(
      'rookery_',
    )
  })

  test('is revoked by its creator, and by nobody else but the operator and moderators, who are logged', async () => {
    const { code, uuid } = await invitationOf()
    const member = await app.person()
    expect(outcomeOf(await revoke(member, uuid))).toBe('NOT_FOUND')
    expect(outcomeOf(await revoke(await moderator(app), uuid))).toBe('FORBIDDEN')
    expect((await revoke(mo, uuid)).data).toEqual({ revokeInvitation: { invitation: { uuid, uses: 0 } } })
    expect(outcomeOf(await revoke(mo, uuid))).toBe('NOT_FOUND')
    expect((await join(code)).errors).toMatchObject(unusable)
    const hash = hashToken(newToken())
    const data = { id: newId(), hash, creatorId: member.id, maxUses: 1, expiresAt: new Date(Date.now() + day) }
    await app.database.write.prisma.invitation.create({ data })
    expect(outcomeOf(await revoke(mo, data.id))).toBe('DONE')
    expect(await logOf(app, mo, 1)).toMatchObject([
      { action: 'INVITATION_REVOKED', actor: { username: 'mo' }, subjectUuid: data.id, user: { uuid: member.id } },
    ])
  })

  test('is revoked, or used, but not both, when both happen at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { code, uuid } = await invitationOf()
      const [revoked, joined] = await Promise.all([revoke(mo, uuid), join(code)])
      const { uses } = z
        .object({ revokeInvitation: z.object({ invitation: z.object({ uses: z.int() }) }) })
        .parse(revoked.data).revokeInvitation.invitation
      expect(outcomeOf(joined)).toBe(uses === 1 ? 'DONE' : 'VALIDATION_FAILED')
    }
  })

  test('of the operator works too, and moderators can revoke it', async () => {
    const { code, id } = await createInvitationOfOperator(app.database, { maxUses: 2 })
    const { id: guest } = personOf(await join(code))
    const { invitedById } = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id: guest } })
    expect(invitedById).toBeNull()
    expect(outcomeOf(await revoke(mo, id))).toBe('DONE')
    await expect(revokeInvitation(app.database, 'operator', id, async () => 0)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test(`is one of at most ${maxInvitations}, also when many are created at once`, async () => {
    const other = await moderator(app)
    const expiresAt = new Date(Date.now() + day)
    const rows = Array.from({ length: maxInvitations - 2 }, () => {
      return { id: newId(), hash: hashToken(newToken()), creatorId: other.id, maxUses: 1, expiresAt }
    })
    await app.database.write.prisma.invitation.createMany({ data: rows })
    const outcomes = (await Promise.all(Array.from({ length: 5 }, () => create(other)))).map(outcomeOf)
    expect(tally(outcomes)).toEqual({ DONE: 2, CONFLICT: 3 })
  })
})

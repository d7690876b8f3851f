import type { RulesOf } from '../../engine/compiler/field-reads.ts'
import { comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import type PrismaTypes from '../../engine/data/generated/pothos.ts'
import { viewer } from './viewer.ts'

/** Whether a row of a relation that may end by itself has not ended. */
export const isCurrent = (row: Sql) => sql`(${row}.until is null or ${row}.until > now())`

// One probe of an index for each row. Other conditions of the same meaning ruin the plans of batches.
const notBlocked = (account: Sql) => sql`coalesce(
  (select false from blocked_pairs h where h.viewer_id = ${viewer.id} and h.hidden_id = ${account}), true)`

const notMuted = (author: Sql) => sql`coalesce(
  (select false from mutes m where m.muter_id = ${viewer.id} and m.muted_id = ${author} and ${isCurrent(sql`m`)}), true)`

const notSuspended = (account: Sql) =>
  sql`coalesce((select false from hidden_accounts h where h.user_id = ${account}), true)`

/** Whether the viewer belongs to the audience of a publication, by the columns that decide. PostgreSQL inlines the function. */
const isForViewer = (author: Sql, audience: Sql, circle: Sql, parentAuthor: Sql) => sql`coalesce(
  (select r from readable(${viewer.id}, ${author}, ${audience}, ${circle}, ${parentAuthor}) r), false)`

/** The same of a publication that is found by its id. Whoever has a copy of one that was erased with its author learns of that. */
const isPublicationForViewer = (publication: Sql) => sql`coalesce((
  select ${isForViewer(sql`p.author_id`, sql`p.audience`, sql`p.circle_id`, sql`p.parent_author_id`)}
  from publications p where p.id = ${publication} and p.author_id is not null), true)`

/** Whether the viewer may see the lists of an account: what it publishes for everybody is for the viewer. */
const isOpenTo = (account: Sql) => isForViewer(account, sql`'EVERYBODY'`, sql`null`, sql`null`)

type Rules = RulesOf<PrismaTypes>

const audienceFields = ['authorId', 'audience', 'circleId', 'parentAuthorId'] as const
const closedLists = { place: 'listsOfRow', fields: ['id'], condition: isOpenTo } as const
const changesForViewer = { place: 'lists', fields: ['publicationId'], condition: isPublicationForViewer } as const

/**
 * The rules for moderators, who see everybody but in their notifications. They find a publication that is not for them only by its id,
 * which a report has.
 */
export const rulesOfModerators: Rules = {
  User: [closedLists],
  LivePublication: [{ place: 'lists', fields: audienceFields, condition: isForViewer }],
  Change: [changesForViewer],
  // They would learn who reported them.
  Report: [{ place: 'everywhere', fields: ['userId'], condition: (user) => sql`${user} <> ${viewer.id}` }],
  Notification: [
    { place: 'lists', fields: ['subjectId'], condition: isPublicationForViewer },
    ...[notSuspended, notBlocked, notMuted].map((condition) => ({
      place: 'lists' as const,
      fields: ['actorId'] as const,
      condition,
    })),
  ],
}

/** Who published something. */
export const authorOf = (publication: Sql) => sql`(select p.author_id from publications p where p.id = ${publication})`

const usersNotSuspended = { place: 'everywhere', fields: ['id'], condition: notSuspended } as const
const othersInLists = [
  closedLists,
  { place: 'lists', fields: ['id'], condition: notBlocked },
  { place: 'timelines', fields: ['id'], condition: notMuted },
] as const
const mentionsNotSuspended = [{ place: 'everywhere', fields: ['userId'], condition: notSuspended }] as const
const publicationsForViewer = [
  { place: 'everywhere', fields: ['authorId'], condition: notSuspended },
  { place: 'everywhere', fields: audienceFields, condition: isForViewer },
] as const

/** The rules for all other viewers: nobody finds an account that is suspended or being deleted. */
export const rulesOfAll: Rules = {
  ...rulesOfModerators,
  User: [usersNotSuspended, closedLists],
  Mention: mentionsNotSuspended,
  LivePublication: publicationsForViewer,
}

/**
 * The rules for viewers from whom others are hidden, or who mute others. These are still found as users, because a client has to
 * explain and to undo it.
 */
export const rulesOfBlocksAndMutes: Rules = {
  ...rulesOfAll,
  User: [usersNotSuspended, ...othersInLists],
  Mention: [...mentionsNotSuspended, { place: 'lists', fields: ['userId'], condition: notBlocked }],
  LivePublication: [
    ...publicationsForViewer,
    { place: 'everywhere', fields: ['authorId'], condition: notBlocked },
    { place: 'timelines', fields: ['authorId'], condition: notMuted },
  ],
  Change: [
    changesForViewer,
    { place: 'lists', fields: ['actorId'], condition: notBlocked },
    { place: 'lists', fields: ['userId'], condition: notBlocked },
    { place: 'lists', fields: ['publicationId'], condition: (publication) => notBlocked(authorOf(publication)) },
  ],
}

const isSelfOrNotSuspended = (account: Sql) => sql`(${account} = ${viewer.id} or ${notSuspended(account)})`

/** The rules for viewers with a restriction, who find themselves where others do not. */
export const rulesOfRestricted: Rules = {
  ...rulesOfBlocksAndMutes,
  User: [{ place: 'everywhere', fields: ['id'], condition: isSelfOrNotSuspended }, ...othersInLists],
}

/** The same rules for a token that may not see changes of these kinds. */
export function withoutKinds(rules: Rules, kinds: readonly string[]): Rules {
  const names = sql.join(kinds.map(sql.literal), comma)
  const isOther = {
    place: 'everywhere',
    fields: ['kind'],
    condition: (kind: Sql) => sql`${kind} not in (${names})`,
  } as const
  return { ...rules, Change: [isOther, ...(rules.Change ?? [])] }
}

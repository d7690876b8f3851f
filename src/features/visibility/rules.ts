import { type RulesOf, viewer } from '../../engine/compiler/field-reads.ts'
import { comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import type PrismaTypes from '../../engine/data/generated/pothos.ts'

/** Whether a row of a relation that may end by itself has not ended. */
export const isCurrent = (row: Sql) => sql`(${row}.until is null or ${row}.until > now())`

// One probe of an index for each row. Other conditions of the same meaning ruin the plans of batches.
const isShown = (account: Sql) => sql`coalesce(
  (select false from blocked_pairs h where h.viewer_id = ${viewer.id} and h.hidden_id = ${account}), true)`

const isHeard = (author: Sql) => sql`coalesce(
  (select false from mutes m where m.muter_id = ${viewer.id} and m.muted_id = ${author} and ${isCurrent(sql`m`)}), true)`

const isThere = (account: Sql) =>
  sql`coalesce((select false from hidden_accounts h where h.user_id = ${account}), true)`

type Rules = RulesOf<PrismaTypes>

/** The rules for moderators, who see everybody but in their notifications. */
export const rulesOfModerators: Rules = {
  // They would learn who reported them.
  Report: [{ place: 'everywhere', field: 'userId', condition: (user) => sql`${user} <> ${viewer.id}` }],
  Notification: [isThere, isShown, isHeard].map((condition) => ({ place: 'lists', field: 'actorId', condition })),
}

const authorOf = (publication: Sql) => sql`(select p.author_id from publications p where p.id = ${publication})`

const usersThere = [{ place: 'everywhere', field: 'id', condition: isThere }] as const
const mentionsThere = [{ place: 'everywhere', field: 'userId', condition: isThere }] as const
const publicationsThere = [{ place: 'everywhere', field: 'authorId', condition: isThere }] as const

/** The rules for all other viewers: nobody finds an account that is suspended or being deleted. */
export const rulesOfAll: Rules = {
  ...rulesOfModerators,
  User: usersThere,
  Mention: mentionsThere,
  LivePublication: publicationsThere,
}

/**
 * The rules for viewers from whom others are hidden, or who mute others. These are still found as users, because a client has to explain and
 * to undo it.
 */
export const rulesOfBlocksAndMutes: Rules = {
  ...rulesOfAll,
  User: [...usersThere, { place: 'lists', field: 'id', condition: isShown }],
  Mention: [...mentionsThere, { place: 'lists', field: 'userId', condition: isShown }],
  LivePublication: [
    ...publicationsThere,
    { place: 'everywhere', field: 'authorId', condition: isShown },
    { place: 'timelines', field: 'authorId', condition: isHeard },
  ],
  Change: [
    { place: 'lists', field: 'actorId', condition: isShown },
    { place: 'lists', field: 'userId', condition: isShown },
    { place: 'lists', field: 'publicationId', condition: (publication) => isShown(authorOf(publication)) },
  ],
}

/** The same rules for a token that may not see changes of these kinds. */
export function withoutKinds(rules: Rules, kinds: readonly string[]): Rules {
  const names = sql.join(kinds.map(sql.literal), comma)
  const isOther = {
    place: 'everywhere',
    field: 'kind',
    condition: (kind: Sql) => sql`${kind} not in (${names})`,
  } as const
  return { ...rules, Change: [isOther, ...(rules.Change ?? [])] }
}

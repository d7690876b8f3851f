import { type Place, places, type Rule, type Rules, viewer } from './field-reads.ts'
import { columnOf } from './model.ts'
import { isCurrent } from './relations.ts'
import { all, type Sql, sql } from './sql.ts'

// One probe of an index for each row. Other conditions of the same meaning ruin the plans of batches.
const isShown = (account: Sql) => sql`coalesce(
  (select false from blocked_pairs h where h.viewer_id = ${viewer.id} and h.hidden_id = ${account}), true)`

const isHeard = (author: Sql) => sql`coalesce(
  (select false from mutes m where m.muter_id = ${viewer.id} and m.muted_id = ${author} and ${isCurrent(sql`m`)}), true)`

const isThere = (account: Sql) =>
  sql`coalesce((select false from hidden_accounts h where h.user_id = ${account}), true)`

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
    { place: 'everywhere', field: 'actorId', condition: isShown },
    { place: 'everywhere', field: 'userId', condition: isShown },
    { place: 'everywhere', field: 'publicationId', condition: (publication) => isShown(authorOf(publication)) },
  ],
}

/** The rules for the rows of a model in a place. */
export function rulesFor(rules: Rules, model: string, place: Place): readonly Rule<string>[] {
  const byModel: Readonly<Record<string, readonly Rule<string>[] | undefined>> = rules
  return byModel[model]?.filter((rule) => places.indexOf(rule.place) <= places.indexOf(place)) ?? []
}

/** Whether the viewer may see a row of a model in a place, by the fields that it has; undefined where no rule says so. */
export function visible(rules: Rules, model: string, place: Place, partOf: (field: string) => Sql): Sql | undefined {
  const conditions = rulesFor(rules, model, place).map(({ field, condition }) => condition(partOf(field)))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** Whether the viewer may see the lists of a row that they found; undefined where no rule says so. */
export function listsVisible(rules: Rules, model: string, row: Sql): Sql | undefined {
  const held = rulesFor(rules, model, 'everywhere')
  const others = rulesFor(rules, model, 'lists').filter((rule) => !held.includes(rule))
  const conditions = others.map(({ field, condition }) => condition(ofRow(row)(field)))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** The fields of a row of a model. */
export const ofRow = (row: Sql) => (field: string) => sql`${row}.${columnOf(field)}`

import { isOn } from './edges.ts'
import { columnOf } from './model.ts'
import { type Place, places, type Rule, type Rules, viewer } from './read.ts'
import { all, type Sql, sql } from './sql.ts'

/** The rules for viewers from whom nobody is hidden, and who mute nobody. */
export const rulesOfAll: Rules = {
  // They would learn who reported them.
  Report: [{ in: 'everywhere', by: 'userId', holds: (user) => sql`${user} <> ${viewer.id}` }],
}

// One probe of an index for each row. Other conditions of the same meaning ruin the plans of batches.
const isShown = (account: Sql) => sql`coalesce(
  (select false from hidings h where h.viewer_id = ${viewer.id} and h.hidden_id = ${account}), true)`

const isHeard = (author: Sql) => sql`coalesce(
  (select false from mutes m where m.muter_id = ${viewer.id} and m.muted_id = ${author} and ${isOn(sql`m`)}), true)`

// While any account is being deleted, these rules hold for all viewers but moderators.
const isThere = (account: Sql) => sql`coalesce((select false from departures d where d.user_id = ${account}), true)`

const authorOf = (publication: Sql) => sql`(select p.author_id from publications p where p.id = ${publication})`

/**
 * The rules for viewers from whom others are hidden, or who mute others. These are still found as users, because a client has to explain and
 * to undo it. An account that is being deleted is not found at all.
 */
export const rulesOfHidings: Rules = {
  ...rulesOfAll,
  User: [
    { in: 'everywhere', by: 'id', holds: isThere },
    { in: 'lists', by: 'id', holds: isShown },
  ],
  Mention: [
    { in: 'everywhere', by: 'userId', holds: isThere },
    { in: 'lists', by: 'userId', holds: isShown },
  ],
  LivePublication: [
    { in: 'everywhere', by: 'authorId', holds: isThere },
    { in: 'everywhere', by: 'authorId', holds: isShown },
    { in: 'timelines', by: 'authorId', holds: isHeard },
  ],
  Change: [
    { in: 'everywhere', by: 'actorId', holds: isShown },
    { in: 'everywhere', by: 'userId', holds: isShown },
    { in: 'everywhere', by: 'publicationId', holds: (publication) => isShown(authorOf(publication)) },
  ],
}

/** The rules for the rows of a model in a place. */
export function rulesFor(rules: Rules, model: string, place: Place): readonly Rule<string>[] {
  const byModel: Readonly<Record<string, readonly Rule<string>[] | undefined>> = rules
  return byModel[model]?.filter((rule) => places.indexOf(rule.in) <= places.indexOf(place)) ?? []
}

/** Whether the viewer may see a row of a model in a place, by the fields that it has; undefined where no rule says so. */
export function visible(rules: Rules, model: string, place: Place, partOf: (field: string) => Sql): Sql | undefined {
  const conditions = rulesFor(rules, model, place).map(({ by, holds }) => holds(partOf(by)))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** Whether the viewer may see the lists of a row that they found; undefined where no rule says so. */
export function listsVisible(rules: Rules, model: string, row: Sql): Sql | undefined {
  const held = rulesFor(rules, model, 'everywhere')
  const others = rulesFor(rules, model, 'lists').filter((rule) => !held.includes(rule))
  const conditions = others.map(({ by, holds }) => holds(ofRow(row)(by)))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** The fields of a row of a model. */
export const ofRow = (row: Sql) => (field: string) => sql`${row}.${columnOf(field)}`

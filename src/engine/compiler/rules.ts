import { type Place, places, type Rule, type Rules } from './field-reads.ts'
import { columnOf } from './model.ts'
import { all, type Sql, sql } from './sql.ts'

/** The rules for the rows of a model in a place. */
export function rulesFor(rules: Rules, model: string, place: Place): readonly Rule<string>[] {
  return rules[model]?.filter((rule) => places.indexOf(rule.place) <= places.indexOf(place)) ?? []
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

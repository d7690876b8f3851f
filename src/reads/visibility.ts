import type PrismaTypes from '../data/generated/pothos.ts'
import { columnOf } from './model.ts'
import { type Place, places, viewer } from './read.ts'
import { all, type Sql, sql } from './sql.ts'

/** A condition on rows: that the viewer may see what is of the account whose id they have in a field. It may be null. */
type Rule<Field> = {
  /** Where it holds, and in all more special places. */
  readonly in: Place
  readonly by: Field
  readonly holds: (account: Sql) => Sql
}

type Rules = { readonly [Model in keyof PrismaTypes]?: readonly Rule<keyof PrismaTypes[Model]['Shape']>[] }

/** What viewers may see of each Prisma model. The compiler adds it to every read; a read with `among` calls `visible` itself. */
export const visibility: Rules = {
  // They would learn who reported them.
  Report: [{ in: 'everywhere', by: 'userId', holds: (user) => sql`${user} <> ${viewer.id}` }],
}

/** The rules for the rows of a model in a place. */
export function rulesFor(model: string, place: Place): readonly Rule<string>[] {
  const byModel: Readonly<Record<string, readonly Rule<string>[] | undefined>> = visibility
  return byModel[model]?.filter((rule) => places.indexOf(rule.in) <= places.indexOf(place)) ?? []
}

/** Whether the viewer may see a row of a model in a place, by the fields that it has; undefined where no rule says so. */
export function visible(model: string, place: Place, partOf: (field: string) => Sql): Sql | undefined {
  const conditions = rulesFor(model, place).map(({ by, holds }) => holds(partOf(by)))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** The fields of a row of a model. */
export const ofRow = (row: Sql) => (field: string) => sql`${row}.${columnOf(field)}`

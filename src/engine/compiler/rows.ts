import { type GraphQLCompositeType, isUnionType } from 'graphql'
import type { JoinTable, PageRead, Part, Place, RowsRead, Rule, Rules } from './field-reads.ts'
import { all, type Sql, sql } from './sql.ts'

const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** The Prisma model of a type; undefined where its objects are not stored. */
export function modelOf(type: GraphQLCompositeType): string | undefined {
  return isUnionType(type) ? undefined : type.extensions.pothosPrismaModel
}

/** The Prisma model of a type whose rows are read. */
export function modelOfRows(type: GraphQLCompositeType): string {
  const model = modelOf(type)
  if (model === undefined) throw new TypeError(`${type.name} has no Prisma model, so none can be read`)
  return model
}

/** The table or view of a Prisma model: `LivePublication` is in `live_publications`. Pothos does not know the names in `@@map`. */
export function tableOf(model: string): Sql {
  return sql.identifier(`${snakeCase(model)}s`)
}

/** The column of a field of a Prisma model: `replyCount` is in `reply_count`. */
export function columnOf(field: string): Sql {
  return sql.identifier(snakeCase(field))
}

/** The rules for the rows of a model in a place. */
function rulesFor(rules: Rules, model: string, place: Place): readonly Rule<string>[] {
  return rules[model]?.filter((rule) => holdsIn(rule.place, place)) ?? []
}

const holdsIn = (general: Rule<string>['place'], place: Place) =>
  general === place || general === 'everywhere' || (general === 'lists' && place !== 'everywhere')

const conditionOf = ({ fields, condition }: Rule<string>, partOf: (field: string) => Sql) =>
  condition(...fields.map(partOf))

/** Whether the viewer may see a row of a model in a place, by the fields that it has; undefined where no rule says so. */
export function visible(rules: Rules, model: string, place: Place, partOf: (field: string) => Sql): Sql | undefined {
  const conditions = rulesFor(rules, model, place).map((rule) => conditionOf(rule, partOf))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** Whether the viewer may see the lists of a row that they found, by its fields; undefined where no rule says so. */
export function listsVisible(rules: Rules, model: string, partOf: (field: string) => Sql): Sql | undefined {
  const others = rules[model]?.filter(({ place }) => place === 'lists' || place === 'listsOfRow') ?? []
  const conditions = others.map((rule) => conditionOf(rule, partOf))
  return conditions.length > 0 ? all(...conditions) : undefined
}

/** The fields of a row of a model. */
export const ofRow = (row: Sql) => (field: string) => sql`${row}.${columnOf(field)}`

/** A read of rows, and where it stands: the Prisma model and the place of its rows, and the row that they belong to. */
export type Rows<Read extends RowsRead = RowsRead> = {
  readonly read: Read
  readonly model: string
  readonly place: Place
  /** What the viewer may see. */
  readonly rules: Rules
  readonly row: Sql
  /** Whether the viewer may see the lists of that row; undefined where no rule says so. */
  readonly isOpen?: Sql | undefined
  /** The parts of the arguments that select the rows. */
  readonly part: Part
}

/** The row of the join table by which the row `it` is found. */
export const joinOf = (it: Sql) => sql`${it}_join`
const isJoined = ({ from }: JoinTable, it: Sql, row: Sql) => sql`${joinOf(it)}.${from} = ${row}.id`

/** The `from … where …` of the rows, each called `it`: of their table, or of the rows of a `query`, which are visible. */
export function clauseOf({ read: { join, where }, model, place, rules, row, part }: Rows, it: Sql, query?: Sql): Sql {
  const table = query ? sql`(${query})` : tableOf(model)
  const source = join
    ? sql`${join.table} ${joinOf(it)} join ${table} ${it} on ${it}.id = ${joinOf(it)}.${join.to}`
    : sql`${table} ${it}`
  const isVisible = query ? undefined : visible(rules, model, place, ofRow(it))
  const joined = [join && isJoined(join, it, row), join?.where?.(joinOf(it))]
  return sql`from ${source} where ${all(...joined, where?.(it, row, part, rules), isVisible)}`
}

/** The key of the row `it`: its id, or that of the row of the join table. */
export function keyOf({ join }: Pick<PageRead, 'join'>, it: Sql): Sql {
  return sql`${join ? joinOf(it) : it}.id`
}

/** The `from … where …` that a page scans by its key: rows of its join table, or of its own, whether or not it shows them. */
export function scanOf(
  { read: { join, where }, model, rules, row, isOpen, part }: Rows<PageRead>,
  it: Sql,
  query?: Sql,
): Sql {
  if (join) return sql`from ${join.table} ${joinOf(it)} where ${all(isJoined(join, it, row), isOpen)}`
  const table = query ? sql`(${query})` : tableOf(model)
  return sql`from ${table} ${it} where ${all(where?.(it, row, part, rules), isOpen)}`
}

/** The `from … where …` of the rows that a page shows among those that it has scanned, which are a query. */
export function shownOf({ read, model, place, rules, row, part }: Rows<PageRead>, it: Sql, scanned: Sql): Sql {
  const { join, where, filter, query } = read
  const source = join
    ? sql`(${scanned}) ${joinOf(it)} join ${tableOf(model)} ${it} on ${it}.id = ${joinOf(it)}.${join.to}`
    : sql`(${scanned}) ${it}`
  const conditions = [join?.where?.(joinOf(it)), join && where?.(it, row, part, rules), filter?.(it, row, part, rules)]
  const isVisible = query ? undefined : visible(rules, model, place, ofRow(it))
  return sql`from ${source} where ${all(...conditions, isVisible)}`
}

/** The same with no more than the keys: of the join table alone, if that tells whether the viewer may see its rows. */
export function keysOf(rows: Rows<PageRead>, it: Sql, scanned: Sql): Sql {
  const {
    read: { join, where, filter },
    model,
    place,
    rules,
  } = rows
  if (
    !join?.isWhole ||
    where ||
    filter ||
    rulesFor(rules, model, place).some(({ fields }) => fields.some((field) => field !== 'id'))
  )
    return shownOf(rows, it, scanned)
  const joinRow = joinOf(it)
  const isVisible = visible(rules, model, place, () => sql`${joinRow}.${join.to}`)
  return sql`from (${scanned}) ${joinRow} where ${all(join.where?.(joinRow), isVisible)}`
}

/** Whether a page may scan rows that it does not show. */
export function mayHide({ read: { join, filter, query }, model, place, rules }: Rows<PageRead>): boolean {
  return (
    filter !== undefined ||
    join?.where !== undefined ||
    (join && !join.isWhole) ||
    (!query && rulesFor(rules, model, place).length > 0)
  )
}

import { type JoinTable, type PageRead, type ValueRead, viewer } from '../../engine/compiler/field-reads.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import type { Relation } from '../base/relations.ts'
import { isCurrent } from '../visibility/rules.ts'

function exists({ table, actorColumn, objectColumn, canExpire }: Relation, actor: Sql, object: Sql): Sql {
  const isPair = sql`r.${sql.identifier(actorColumn)} = ${actor} and r.${sql.identifier(objectColumn)} = ${object}`
  return sql`exists (select from ${sql.identifier(table)} r where ${all(isPair, canExpire && isCurrent(sql`r`))})`
}

const joinBy = ({ table, canExpire }: Relation, from: string, to: string): JoinTable => ({
  table: sql.identifier(table),
  from: sql.identifier(from),
  to: sql.identifier(to),
  ...(canExpire && { where: isCurrent }),
})

/** Whether the viewer has the relation to the row. */
export const viewerHas = (relation: Relation): ValueRead => ({
  value: (row) => exists(relation, viewer.id, sql`${row}.id`),
  cost: 0.2,
})

/** Whether the row, an account, has the relation to the viewer. */
export const hasViewer = (relation: Relation): ValueRead => ({
  value: (row) => exists(relation, sql`${row}.id`, viewer.id),
  cost: 0.2,
})

const counterOf = (name: string | undefined) => name && { total: (row: Sql) => sql`${row}.${sql.identifier(name)}` }

/** The accounts that have the relation to the row, newest first. */
export const actorsOf = (relation: Relation): PageRead => ({
  order: 'desc',
  join: { ...joinBy(relation, relation.objectColumn, relation.actorColumn), isWhole: true },
  ...counterOf(relation.objectCounter),
})

/** What the row, an account, has the relation to, newest first. */
export const objectsOf = (relation: Relation): PageRead => ({
  order: 'desc',
  // Relations to deleted publications may not be erased yet.
  join: { ...joinBy(relation, relation.actorColumn, relation.objectColumn), isWhole: relation.objectType === 'user' },
  ...counterOf(relation.actorCounter),
})

/** Whether the row is the account of the viewer. */
export const isVisibleToOwner = (row: Sql) => sql`${row}.id = ${viewer.id}`

/** The same for the viewer alone, also accounts that are hidden from the viewer; null for any other user. */
export const viewersObjectsOf = (relation: Relation): PageRead => ({
  ...objectsOf(relation),
  isVisible: isVisibleToOwner,
  ...(relation.objectType === 'user' && { place: 'everywhere' as const }),
})

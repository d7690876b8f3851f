import type { Edge } from '../domain/edges.ts'
import { type PageRead, type ValueRead, viewer } from './read.ts'
import { type Sql, sql } from './sql.ts'

const columnOf = (end: string) => sql.identifier(`${end}_id`)

function isMade({ table, from, to }: Edge, maker: Sql, object: Sql): Sql {
  return sql`exists (select from ${sql.identifier(table)} e where e.${columnOf(from)} = ${maker} and e.${columnOf(to)} = ${object})`
}

/** Whether the viewer has the edge to the row. */
export const viewerHas = (edge: Edge): ValueRead => ({
  value: (row) => isMade(edge, viewer.id, sql`${row}.id`),
  cost: 0.2,
})

/** Whether the row, an account, has the edge to the viewer. */
export const hasViewer = (edge: Edge): ValueRead => ({
  value: (row) => isMade(edge, sql`${row}.id`, viewer.id),
  cost: 0.2,
})

const counterOf = (name: string | undefined) => name && { total: (row: Sql) => sql`${row}.${sql.identifier(name)}` }

/** The accounts that have the edge to the row, newest first. */
export const makersOf = ({ table, from, to, counts }: Edge): PageRead => ({
  order: 'desc',
  via: { table: sql.identifier(table), from: columnOf(to), to: columnOf(from) },
  ...counterOf(counts?.to),
})

/** What the row, an account, has the edge to, newest first. */
export const objectsOf = ({ table, from, to, counts, noun }: Edge): PageRead => ({
  order: 'desc',
  via: {
    table: sql.identifier(table),
    from: columnOf(from),
    to: columnOf(to),
    // Edges to deleted publications may not be erased yet. Their ids come first, so that an index alone has all others.
    ...(noun === 'publication' && {
      hasEnd: (edge, row) => sql`${edge}.id not in (
        select e.id from like_erasures d join ${sql.identifier(table)} e on e.${columnOf(to)} = d.publication_id and e.${columnOf(from)} = ${row}.id)`,
    }),
  },
  ...counterOf(counts?.from),
})

/** The same for the viewer alone; null for any other user. */
export const viewersObjectsOf = (edge: Edge): PageRead => ({
  ...objectsOf(edge),
  isVisible: (row) => sql`${row}.id = ${viewer.id}`,
})

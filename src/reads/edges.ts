import type { Edge } from '../domain/edges.ts'
import { type PageRead, type ValueRead, viewer } from './read.ts'
import { type Sql, sql } from './sql.ts'

const columnOf = (end: string) => sql.identifier(`${end}_id`)

/** Whether a row of an edge that may end by itself has not ended. */
export const isOn = (row: Sql) => sql`(${row}.until is null or ${row}.until > now())`

/** The table of an edge, without rows that have ended. */
function tableOf(edge: Edge): Sql {
  const table = sql.identifier(edge.table)
  return edge.mayEnd ? sql`(select e.* from ${table} e where ${isOn(sql`e`)})` : table
}

function isMade(edge: Edge, maker: Sql, object: Sql): Sql {
  const { from, to } = edge
  return sql`exists (select from ${tableOf(edge)} e where e.${columnOf(from)} = ${maker} and e.${columnOf(to)} = ${object})`
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
export const makersOf = (edge: Edge): PageRead => ({
  order: 'desc',
  via: { table: tableOf(edge), from: columnOf(edge.to), to: columnOf(edge.from) },
  ...counterOf(edge.counts?.to),
})

/** What the row, an account, has the edge to, newest first. */
export const objectsOf = (edge: Edge): PageRead => ({
  order: 'desc',
  via: {
    table: tableOf(edge),
    from: columnOf(edge.from),
    to: columnOf(edge.to),
    // Edges to deleted publications may not be erased yet. Their ids come first, so that an index alone has all others.
    ...(edge.noun === 'publication' && {
      hasEnd: (join, row) => sql`${join}.id not in (
        select e.id from like_erasures d join ${tableOf(edge)} e on e.${columnOf(edge.to)} = d.publication_id and e.${columnOf(edge.from)} = ${row}.id)`,
    }),
  },
  ...counterOf(edge.counts?.from),
})

/** Whether the row is the account of the viewer. */
export const isVisibleToOwner = (row: Sql) => sql`${row}.id = ${viewer.id}`

/** The same for the viewer alone; null for any other user. */
export const viewersObjectsOf = (edge: Edge): PageRead => ({
  ...objectsOf(edge),
  isVisible: isVisibleToOwner,
})

import type { GraphQLSchema } from 'graphql'
import type { Arguments } from './arguments.ts'
import type { PageRead, Read } from './field-reads.ts'
import { maxWalk, maxWalkInLists } from './page-clauses.ts'
import { pageExtent } from './page-range.ts'

/** What the arguments of a field ask for: so many objects at most, and what finding them costs besides. */
type Asked = { readonly rows: number; readonly each?: number }

/** What a field costs besides what is selected below it, in units of about 5 microseconds of database time. */
export type Cost = {
  /** Once for the operation, however often the field is read: for planning, or for a statement of its own. */
  readonly once?: number
  /** Each time that the field is read. */
  readonly each?: number
  /** Each object that the field answers. */
  readonly row?: number
  /** What the arguments ask for; without this it is one object. Throws `VALIDATION_FAILED` for arguments out of bounds. */
  readonly asks?: (args: Arguments, schema: GraphQLSchema) => Asked
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: Cost
    /** Whether the field returns the price of its operation. It is free, and its argument `dryRun` keeps the operation from running. */
    returnsPrice?: boolean
  }
}

/** The prices that make up costs, in their units. `npm run calibrate` in `bench/` compares them with measured times. */
export const prices = {
  leaf: 0.1,
  /** A text of up to 2,000 bytes, besides its leaf. */
  longText: 1,
  object: 0.5,
  page: 0.5,
  /** Each row that `offset` skips, which is looked up among hidden accounts. */
  skipped: 1 / 10,
  /** Each row that a page may walk over without showing it. */
  walked: 1 / 10,
  /** What planning the subquery of an object or of a page takes. */
  plannedObject: 20,
  plannedPage: 150,
  /** A statement: the one that answers an operation, and each lookup besides it. */
  statement: 100,
  /** What a mutation does besides reading its result. */
  mutation: 200,
  /** A mention or a hashtag in a content that is sent: a lookup and a row. */
  entity: 30,
  /** A field of introspection: it takes the event loop, which all clients share. */
  introspection: 3,
  /** A word that an agent looks for in an entry of the schema, and a byte of a resource that it reads, which take the event loop, too. */
  searched: 1 / 20,
  resourceByte: 1 / 100,
} as const

/** What a field with a text of up to 2,000 bytes costs. */
export const longText: Cost = { each: prices.longText }

export const objectCost: Cost = { once: prices.plannedObject, row: prices.object }

/**
 * Up to what cost an operation is cheap: its statements run in batches with those of other requests. What costs more takes so long that
 * others would wait for it.
 */
export const cheapCost = 600

/** Whether a page may walk over rows that its viewer may not see: all of those that do not say what finding their rows costs. */
const hidesRows = (read: PageRead) => read.begin === undefined

/** What a field with a read costs. */
export function costOf(read: Read): Cost {
  if ('value' in read) return { each: read.cost ?? 0 }
  if ('order' in read) {
    return {
      once: prices.plannedPage + (hidesRows(read) ? (maxWalk - maxWalkInLists) * prices.walked : 0),
      each: prices.page + (read.begin ?? maxWalkInLists * prices.walked),
      row: prices.object + (read.row ?? 0),
      asks: (args) => {
        read.keyOf?.(args)
        const { size, offset } = pageExtent(args)
        return { rows: size, each: offset * prices.skipped + (read.extra?.(args) ?? 0) }
      },
    }
  }
  const listCost = { ...objectCost, each: prices.page }
  if ('orderBy' in read) return { ...listCost, asks: () => ({ rows: read.rows }) }
  if ('keysOf' in read) return { ...listCost, asks: (args) => ({ rows: read.keysOf(args).length }) }
  return objectCost
}

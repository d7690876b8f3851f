import type { GraphQLSchema } from 'graphql'
import type { DecodedArguments } from './arguments.ts'
import type { PageRead, Read } from './field-reads.ts'
import { maxScan, maxScanInLists } from './limits.ts'

/** What the arguments of a field ask for: so many objects at most, and what finding them costs besides. */
type Requested = { readonly rows: number; readonly perRead?: number }

/** What a field costs besides what is selected below it, in units of about 5 microseconds of database time. */
export type Cost = {
  /** Once for the operation, however often the field is read: for planning, or for a statement of its own. */
  readonly fixed?: number
  /** Each time that the field is read. */
  readonly perRead?: number
  /** Each object that the field answers. */
  readonly perRow?: number
  /** What the arguments ask for; without this it is one object. Throws `InvalidOperation` for arguments out of bounds. */
  readonly requested?: (decoded: DecodedArguments, schema: GraphQLSchema) => Requested
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
  /** Each row that `offset` skips. */
  skipped: 1 / 10,
  /** Each row that a page may scan without showing it. */
  scanned: 1 / 10,
  /** What planning the subquery of an object or of a page takes. */
  plannedObject: 20,
  plannedPage: 150,
  /** A statement: the one that answers an operation, and each lookup besides it. */
  statement: 100,
  /** What a mutation does besides reading its result. */
  mutation: 200,
  /** A field of introspection: it takes the event loop, which all clients share. */
  introspection: 3,
} as const

/** What a field with a text of up to 2,000 bytes costs. */
export const longText: Cost = { perRead: prices.longText }

export const objectCost: Cost = { fixed: prices.plannedObject, perRow: prices.object }

/**
 * Up to what cost an operation is cheap: its statements run in batches with those of other requests. What costs more takes so long that
 * others would wait for it.
 */
export const cheapCost = 600

/** Whether a page may scan rows that its viewer may not see: all of those that do not say what finding their rows costs. */
const hidesRows = (read: PageRead) => read.startCost === undefined

/** What a field with a read costs. */
export function costOf(read: Read): Cost {
  if ('value' in read) return { perRead: read.cost ?? 0 }
  if ('order' in read) {
    return {
      fixed: prices.plannedPage + (hidesRows(read) ? (maxScan - maxScanInLists) * prices.scanned : 0),
      perRead: prices.page + (read.startCost ?? maxScanInLists * prices.scanned),
      perRow: prices.object + (read.perRow ?? 0),
      requested: (decoded) => {
        const { size, offset } = decoded.extent()
        return { rows: size, perRead: offset * prices.skipped + (read.extra?.(decoded.args) ?? 0) }
      },
    }
  }
  const listCost = { ...objectCost, perRead: prices.page }
  if ('orderBy' in read) return { ...listCost, requested: () => ({ rows: read.rows }) }
  if ('keysOf' in read) return { ...listCost, requested: (decoded) => ({ rows: decoded.keys().length }) }
  return objectCost
}

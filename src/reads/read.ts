import type { Order, PageClauses } from './page-clauses.ts'
import { type Sql, sql } from './sql.ts'

/**
 * The owner of the token, as one row that every compiled statement has: `id` (uuid, null without a token), `reads_email` (boolean,
 * whether the token has the scope `user.email`), and `sees_gravatars` (boolean, whether avatars are derived from e-mail addresses;
 * the same for everybody).
 */
export const viewer = {
  id: sql`viewer.id`,
  readsEmail: sql`viewer.reads_email`,
  seesGravatars: sql`viewer.sees_gravatars`,
} as const

/** A leaf that is an expression over its row rather than a column. `typename` is the name of the row's GraphQL type. */
export type ValueRead = {
  readonly value: (row: Sql, typename: Sql) => Sql
  /** What computing it costs beyond reading a column; see `Cost`. */
  readonly cost?: number
}

/** The version of a row, which every update raises. */
export const version: ValueRead = { value: (row) => sql`${row}.version::text` }

/**
 * The opaque global id of a row (GraphQL Global Object Identification): its type and its UUID, in base64. PostgreSQL breaks that
 * into lines after 76 characters, which a type of 20 letters does not reach.
 */
export const globalId: ValueRead = {
  value: (row, typename) => sql`encode(convert_to(${typename} || ':' || ${row}.id, 'UTF8'), 'base64')`,
}

/** A related object: a `from … where …` that finds at most one row of the `table` of its type and calls it `it`. */
export type OneRead = { readonly one: (it: Sql, row: Sql, table: Sql) => Sql }

/** The object of a payload: the row whose id the mutation returns. */
export const objectOfPayload: OneRead = {
  one: (it, row, table) => sql`from ${table} ${it} where ${it}.id = ${row}.id`,
}

/** A short list that is not paged: a `from … where …` of all its rows, and the expression that orders them. */
export type ListRead = {
  readonly list: (it: Sql, row: Sql) => Sql
  readonly by: (it: Sql) => Sql
  /** How many rows its cost assumes. */
  readonly rows: number
}

/** A paged list. It is ordered by `key`, which is unique and is what cursors hold. The parts of `keyOf` select its rows. */
export type PageRead = Partial<Parts> & {
  readonly order: Order
  /** The key of the row `it`. */
  readonly key: (it: Sql) => Sql
  /** A `from … where …` of all rows of the list, each called `it`. The clauses of the page are added to it. */
  readonly page: (it: Sql, row: Sql, window: PageClauses, part: Part) => Sql
  /** Whether the viewer may see the list of the row that it belongs to: it is null otherwise. */
  readonly isVisible?: (row: Sql) => Sql
  /** Another `page` with the same rows, for viewers who follow many accounts. */
  readonly pageIfFollowsMany?: PageRead['page']
  /** A cheaper `page` of the same rows that has only the keys, over which pages with an offset skip rows. */
  readonly keys?: (it: Sql, row: Sql) => Sql
  /**
   * The position after which a page begins, the last row that it looks at, and whether there may be more, where it looks at a limited number
   * of them: a page that is not full ends there.
   */
  readonly scan?: (window: PageClauses) => { readonly start: Sql; readonly last: Sql; readonly isFull: Sql }
  /** What finding the first row costs, where one step in an index does not do it; see `Cost`. */
  readonly begin?: number
  /** The stored number of all rows of the list, where there is one. */
  readonly total?: (row: Sql) => Sql
}

type Arguments = Readonly<Record<string, unknown>>

/** The values of a key, by the names of its parts. */
export type Key = Readonly<Record<string, unknown>>

/** The value of a part of a key, by its name. */
export type Part = (name: string) => Sql

/** The key that the arguments of a field give, and the PostgreSQL types of its parts. */
export type Parts = {
  readonly types: Readonly<Record<string, Sql>>
  readonly keyOf: (args: Arguments) => Key
}

/** How objects are found by keys. */
export type Lookup = Pick<Parts, 'types'> & {
  /** A `from … where …` that finds at most one row by the parts of a key, and calls it `it`. */
  readonly find: (it: Sql, part: Part) => Sql
}

/** An object that is looked up by the arguments of its field. */
export type LookupRead = Lookup & Parts

/**
 * Objects that are looked up by a list in the arguments of their field: in its order, with null where there is none. `keysOf` throws
 * `VALIDATION_FAILED` for more than `maxLookups`.
 */
export type LookupListRead = Lookup & { readonly keysOf: (args: Arguments) => readonly Key[] }

/** How a field is read. A leaf without a read is the column that it exposes. */
export type Read = ValueRead | OneRead | ListRead | PageRead | LookupRead | LookupListRead

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    read?: Read
    /** Whether it shows changes that replicas may not have yet, so that its viewer reads from the primary. */
    isOfFeed?: boolean
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    /** Which rows of its model are objects of the type, if not all are. */
    where?: (row: Sql) => Sql
    /** The Prisma model of the type. plugin-prisma sets it. */
    pothosPrismaModel?: string
  }
  interface GraphQLInterfaceTypeExtensions {
    pothosPrismaModel?: string
  }
}

import type { Window } from './window.ts'

/** Text of a SQL expression or clause. It never holds what a user sent: that travels in parameters. */
export type Sql = string

/**
 * The owner of the token, in every composed statement: a row of one with `id` (uuid, null without a token) and
 * `reads_email` (boolean, whether the token has the scope `user.email`), and `sees_gravatars` (boolean, whether avatars are made of
 * e-mail addresses, which is the same for everybody).
 */
export const viewer = {
  id: 'viewer.id',
  readsEmail: 'viewer.reads_email',
  seesGravatars: 'viewer.sees_gravatars',
} as const

/** A leaf that is more than the column of its name: an expression over its row, whose type's name is `typename`. */
export type ValueRead = {
  readonly value: (row: Sql, typename: Sql) => Sql
  /** What computing it costs beyond reading a column; see `Cost`. */
  readonly cost?: number
}

/** The key of a row: its id. */
export const uuid: ValueRead = { value: (row) => `${row}.id` }

/**
 * The opaque global id of a row (GraphQL Global Object Identification): its type and its UUID, in base64. PostgreSQL breaks that
 * into lines after 76 characters, which a type of 20 letters does not reach.
 */
export const globalId: ValueRead = {
  value: (row, typename) => `encode(convert_to(${typename} || ':' || ${row}.id, 'UTF8'), 'base64')`,
}

/** An object of its own row: a `from … where …` that finds at most one row and calls it `it`. */
export type OneRead = { readonly one: (it: Sql, row: Sql) => Sql }

/** A short list without pages: a `from … where …` of all its rows, and what they are ordered by. */
export type ListRead = {
  readonly list: (it: Sql, row: Sql) => Sql
  readonly by: (it: Sql) => Sql
  /** How many rows its price assumes. */
  readonly rows: number
}

/** A page of a list in the order of `key`, which is unique, and the cursor. */
export type PageRead = {
  readonly order: 'asc' | 'desc'
  /** The key of the row `it`. */
  readonly key: (it: Sql) => Sql
  /** A `from … where …` of all rows of the list, each called `it`; the window is put on top of it. */
  readonly page: (it: Sql, row: Sql, window: Window) => Sql
  /** The part of `page` that has the key of each row, where that is less: pages that skip rows walk over this. */
  readonly keys?: (it: Sql, row: Sql) => Sql
  /** What finding the first row costs, where that is more than a step in an index; see `Cost`. */
  readonly begin?: number
  /** The stored number of all rows of the list, where there is one. */
  readonly total?: (row: Sql) => Sql
}

/** An object that the arguments of its field tell: a `from … where …` that finds at most one row and calls it `it`. */
export type FindRead = {
  readonly find: (it: Sql, given: Given) => Sql
  /** The values that are given to the statement, by name. */
  readonly given: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

/** The parameter of a statement that has the value of this name, of that type of the database. */
export type Given = (name: string, type: Sql) => Sql

/** How a field is read. A leaf of an entity that says nothing is the column of its name. */
export type Read = ValueRead | OneRead | ListRead | PageRead | FindRead

/** Rows that are found by a key of their own: a table or a view, with a condition on the row `it`. */
export type Entity = { readonly source: Sql; readonly where?: (it: Sql) => Sql }

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    read?: Read
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    entity?: Entity
  }
  interface GraphQLInterfaceTypeExtensions {
    entity?: Entity
  }
}

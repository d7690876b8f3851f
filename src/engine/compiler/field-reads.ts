import type { Order, PageClauses } from './page-clauses.ts'
import { type Sql, sql } from './sql.ts'

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

/** A join table by which rows are found: those at the `to` end of its rows whose `from` end is the row of the field. */
export type JoinTable = {
  readonly table: Sql
  /** The columns of its two ends. */
  readonly from: Sql
  readonly to: Sql
  /** Which of its rows count, where not all do. */
  readonly where?: (joinRow: Sql) => Sql
  /** Whether each of its rows has a `to` end. Numbered pages then skip rows of the join table alone. */
  readonly isWhole?: boolean
}

/** The condition on the rows `it` that a field of `row` finds. The parts are those of the key that its arguments give. */
type Where = (it: Sql, row: Sql, part: Part, rules: Rules) => Sql

/** Which rows of the model of its type a field reads. `rows.ts` makes `from … where …` of it. */
export type RowsRead = Partial<Parts> & {
  readonly join?: JoinTable
  readonly where?: Where
  /**
   * Whether some of its rows, which a query finds, may not be shown: their column `is_shown` is false. Such a row is null in a list, and
   * one of the `places` of a page.
   */
  readonly hasHidden?: true
}

/** One object: a related one, or one that the arguments of the field select by the parts of `keyOf`. At most one row meets it. */
export type OneRead = RowsRead & { readonly where: Where }

/** The object whose id a row has in a column, if there is one. */
export const objectIn = (column: Sql): OneRead => ({ where: (it, row) => sql`${it}.id = ${row}.${column}` })

/** The object of a payload: the row whose id the mutation returns. */
export const objectOfPayload = objectIn(sql`id`)

/** A short list that is not paged, and the expression that orders it. */
export type ListRead = RowsRead & {
  readonly orderBy: (it: Sql, part: Part, row: Sql) => Sql
  /** How many rows its cost assumes. */
  readonly rows: number
  /** A query that finds the rows instead of their table. It calls `visible` itself. */
  readonly query?: (row: Sql, rules: Rules) => Sql
}

/** The places where rows are read. Whoever uses the compiler may add places, which are special lists. */
export interface Places {
  /** Everywhere: what is found or referred to, rather than listed, is in no other place. */
  everywhere: true
  lists: true
}

/** Where rows are read. */
export type Place = keyof Places

/** A condition on rows: that the viewer may see what has these values in these fields. A value may be null. */
export type Rule<Field> = {
  /** Where it holds: one of `lists` also holds in special lists. With `listsOfRow`, it says whether the lists of a row show anything. */
  readonly place: Place | 'listsOfRow'
  readonly fields: readonly Field[]
  readonly condition: (...values: readonly Sql[]) => Sql
}

/** What viewers may see of each Prisma model. The compiler adds it to every read; a read with `query` calls `visible` itself. */
export type Rules = Readonly<Record<string, readonly Rule<string>[] | undefined>>

/** The same, checked against the types that Pothos makes of the Prisma schema. */
export type RulesOf<Types extends Readonly<Record<keyof Types, { readonly Shape: object }>>> = {
  readonly [Model in keyof Types]?: readonly Rule<string & keyof Types[Model]['Shape']>[]
}

/** A paged list. Its rows are ordered by their `id`, or by the `id` of the join table, which cursors hold. */
export type PageRead = RowsRead & {
  readonly order: Order
  /** Where the list is, for the rules of visibility: `lists` if it does not say. */
  readonly place?: Place
  /**
   * A query of the candidates, instead of their table. The compiler cannot see into it, so this read itself leaves
   * out what is not `visible` by the rules.
   */
  readonly query?: (window: PageClauses, rules: Rules, part: Part) => Sql
  /** What finds the same rows for the readers of these forms. */
  readonly forms?: Readonly<Record<string, Pick<PageRead, 'query' | 'found'>>>
  /**
   * A query of the page itself, where no scan finds its rows. Its column `page_cut` is where it ended, in each row, if more may follow;
   * if it has no rows, one without an id tells that. It calls `visible` and `listsVisible` itself.
   */
  readonly found?: (window: PageClauses, rules: Rules, part: Part, row: Sql) => Sql
  /** Whether the viewer may see the list of the row that it belongs to: it is null otherwise. */
  readonly isVisible?: (row: Sql) => Sql
  /** A condition that no index helps with: a page looks at all rows, and shows those for which it holds. */
  readonly filter?: Where
  /**
   * The position where a page begins, in a list that its readers follow: without a row, the page ends there, and otherwise with the last
   * that it looked at.
   */
  readonly start?: (window: PageClauses) => Sql
  /** The column with the key where a row ends, if it stands for several. */
  readonly end?: Sql
  /** What finding the first row costs, where one step in an index does not do it; see `Cost`. */
  readonly startCost?: number
  /** What finding each of the rows that are asked for costs besides; see `Cost`. */
  readonly perRow?: number
  /** What its arguments add to that. */
  readonly extra?: (args: Arguments) => number
  /** The stored number of all rows of the list, where there is one. */
  readonly total?: (row: Sql, part: Part) => Sql
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

/** How objects are found by keys: at most one row holds for the parts of a key. */
export type Lookup = Pick<Parts, 'types'> & Pick<OneRead, 'where'>

/**
 * Objects that are looked up by a list in the arguments of their field: in its order, with null where there is none. `keysOf` throws
 * for too many.
 */
export type LookupListRead = Lookup & { readonly keysOf: (args: Arguments) => readonly Key[] }

/** How a field is read. A leaf without a read is the column that it exposes. */
export type Read = ValueRead | OneRead | ListRead | PageRead | LookupListRead

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    read?: Read
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

/** The columns of the row `viewer` that every statement has, with their types: what reads depend on of their reader. */
export type ReaderRow = Readonly<Record<string, Sql>>

/** Readers for whom the same statements are compiled. */
export type ReaderKind = {
  /** Tells it from others in the keys of caches. */
  readonly name: string
  readonly row: ReaderRow
  /** What such a reader may see. */
  readonly rules: Rules
  /** Which of its `forms` a read takes for such a reader, if it has this one. */
  readonly form?: string | undefined
}

/** For whom statements run. */
export type Reader = {
  readonly kind: ReaderKind
  /** The kind with the longest statements, by which the size of SQL is checked before a write. */
  readonly longest: ReaderKind
  /** The values of the row, in the order of its columns. */
  readonly values: readonly unknown[]
}

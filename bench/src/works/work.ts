import type { Viewer } from '../database/sample.ts'
import type { Dialect } from './dialect.ts'

/** Values of a call by name; `after` is the key (a UUID) of the row before the page. */
export type Variables = Readonly<Record<string, string | number | null>>

/** One request of a work, whoever it is sent to. */
export type Call = { readonly viewer: Viewer; readonly variables: Variables }

/** A request of Rookery's REST interface, below its base path. */
export type RestRequest = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object }

/** The floor's hand-written statement: `$1` is the viewer, then come the named values. It gives one row with a `json`. */
export type FloorStatement = { readonly sql: string; readonly values: readonly string[] }

type Common = {
  readonly name: string
  /** What it is, in a few words. */
  readonly about: string
  /** What is asked for, in turn. */
  readonly calls: readonly Call[]
  readonly floor: FloorStatement
  /** Kinds of servers that it is measured on; all that have its surface when missing. */
  readonly kinds?: readonly string[]
  /** Keys whose values differ from run to run. */
  readonly ignored?: readonly string[]
  /** What it leaves behind, which is removed after each measurement. */
  readonly leaves?: 'likes' | 'posts'
}

/** A work over GraphQL. Of a `fresh` one the document is another with each request, by the number that it is given. */
export type GraphQLWork = Common & {
  readonly surface: 'graphql'
  readonly document: (dialect: Dialect, nth: number) => string
  /** The list that `after` is about. */
  readonly list?: 'home' | 'replies'
  readonly fresh?: boolean
}

/** A work over REST. */
export type RestWork = Common & { readonly surface: 'rest'; readonly request: (variables: Variables) => RestRequest }

/** Something that servers are asked to do, again and again. */
export type Work = GraphQLWork | RestWork

import type { ResultOf, VariablesOf } from 'gql.tada'
import type { z } from 'zod'
import type { Viewer } from '../auth/viewers.ts'
import { notFound } from '../errors.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import type { TypedDocument } from './graphql.ts'
import type { Tagged, TaggedResource } from './tagged-resource.ts'
import type { Variables } from './variables.ts'

/** Describes operations that serve both kinds. */
export const eitherKind = 'Supports posts and replies. The first set of scopes is for posts, the second for replies.'

/** Describes operations that serve one kind. */
export const repliesOnly = 'Supports replies only; a post is not found.'

/** Describes toggles. */
export const toggles = 'This is a toggle: retry only with an `Idempotency-Key`. A body is ignored.'

/** The value of a lookup. Throws `NOT_FOUND` when there is none. */
export function found<Value>(what: string, value: Value | null): Value {
  if (value === null) throw notFound(what)
  return value
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type OperationError = 'FORBIDDEN' | 'POST_LOCKED' | 'NOT_FOUND' | 'CONFLICT' | 'CURSOR_EXPIRED' | 'VALIDATION_FAILED'

type QueryParameter = {
  readonly description: string
  readonly required: boolean
  /** That of an array is for a parameter that can be repeated. */
  readonly schema: z.ZodType
  readonly example: string | readonly string[]
}

/** A page of a list in a result. `endCursor` is where the next page begins. */
export type ConnectionData = {
  readonly nodes: readonly unknown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

type ListOf<Data> = {
  /**
   * How a request names a page. By its number, which sets `$offset`: the path's `{page}` or, without it, the query's `page`. By the
   * cursor before it, which sets `$after`: the query's `after`, which lists with numbers take too. A feed is read by cursors too, but has no
   * end, so that requests can wait.
   */
  readonly by: 'number' | 'cursor' | 'feed'
  /** The default size of a page, if it is not the usual one. The size sets `$first`. */
  readonly size?: number
  /** The page in the result. */
  readonly of: (data: Data) => ConnectionData | null | undefined
}

/** The list of which a response has a page. */
export type List = ListOf<unknown>

type OperationOf<Data, Body, Schema extends z.ZodType, Resource extends TaggedResource> = {
  /** The method and the path below `/api/v1`; `paths.ts` has its parameters. */
  readonly route: `${Method} /${string}`
  readonly summary: string
  readonly description: string
  /** Scopes that the operation requires besides those of the fields that it selects. */
  readonly scopes?: ScopeSets
  /** Scopes that add to the response. */
  readonly optionalScopes?: readonly Scope[]
  /** The body, whose fields set the variables of the same names. Without it a body is ignored, whatever it is. */
  readonly body?: z.ZodObject<Record<string, z.ZodType>> & z.ZodType<Body>
  /** The parameters of the query, which set the variables of the same names. Links to other pages keep them. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** The list that the response has a page of. */
  readonly list?: ListOf<Data>
  /** Its name is the operation's, and its variables are named like the path parameters and body fields that set them. */
  readonly document: TypedDocument<unknown>
  readonly response: {
    /** That of the schema, unless there is more to say. */
    readonly description?: string
    /** A component of the OpenAPI document, or a union of several. */
    readonly schema: Schema
    /** The body, from the result of the document and the variables that it ran with. Throws `NOT_FOUND`. */
    readonly body: (data: Data, viewer: Viewer, variables: Variables) => z.infer<Schema>
  }
  /** The resource whose entity tag the response has. With that of GET, writes of the same path take `$ifUnchangedSince`, for preconditions. */
  readonly tagged?: Tagged<Data, Resource>
  /** The errors that the operation can return besides those that follow from the rest of its definition. */
  readonly errors?: readonly OperationError[]
}

/** An operation with what follows from its route and its document. */
export type Definition = OperationOf<unknown, unknown, z.ZodType, TaggedResource> & {
  /** The `operationId` of the OpenAPI document. */
  readonly id: string
  readonly method: Method
  readonly path: string
}

/** A group of operations. */
export type Group = {
  readonly tag: string
  readonly description: string
  /** The version of the interface that its responses follow. */
  readonly version: string
  /** What its paths lead to, such as `post`. */
  readonly finds: string
}

/** An operation of the REST interface. */
export type Operation = Definition & { readonly group: Group }

/** What the OpenAPI document says of an operation. */
export type Documented = Omit<Operation, 'route' | 'document' | 'response'> & {
  readonly response: Pick<Operation['response'], 'description' | 'schema'> & {
    /** The media type, if it is not JSON. The schema is that of a line then. */
    readonly type?: string
  }
}

/** The values of a variable as bodies have them: those of an enum are in lower case. */
type Sent<Value> = Value extends string ? (string extends Value ? Value : Lowercase<Value>) : Value

type BodyOf<Node> = { readonly [Name in keyof VariablesOf<Node>]?: Sent<VariablesOf<Node>[Name]> | undefined }

/** Defines an operation, checked against the types of its documents. */
export function operation<Node, Schema extends z.ZodType, Resource extends TaggedResource>(
  definition: OperationOf<ResultOf<Node>, BodyOf<Node>, Schema, Resource> & {
    readonly document: TypedDocument<Node>
  },
): Definition {
  const [method, path = ''] = definition.route.split(' ')
  const [, name = ''] = definition.document.source.split(/[^\w]/)
  const id = `${name.charAt(0).toLowerCase()}${name.slice(1)}`
  // The executor returns `unknown`. It validates documents against the schema that their types are inferred from.
  return { ...definition, id, method, path } as Definition
}

/** The path of a list without the number of a page. */
export const pathOfList = ({ path }: Pick<Definition, 'path'>): string => path.replace('/{page}', '')

/** The paths of an operation: a list also works without a page in its path. */
export const pathsOf = (operation: Pick<Definition, 'path'>): ReadonlySet<string> =>
  new Set([operation.path, pathOfList(operation)])

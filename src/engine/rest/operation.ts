import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResultOf, VariablesOf } from 'gql.tada'
import type { Viewer } from '../auth/viewers.ts'
import { notFound } from '../errors.ts'
import type { ApiServices } from '../http/api-services.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import { type Extent, isExtended, type TypedDocument } from './graphql.ts'
import type { Component, Derived, Json } from './openapi/json.ts'
import type { Tagged, TaggedResource } from './tagged-resource.ts'
import type { Variables } from './variables.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type OperationError =
  | 'INVALID_CREDENTIALS'
  | 'SECOND_FACTOR_REQUIRED'
  | 'FORBIDDEN'
  | 'POST_LOCKED'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'CURSOR_EXPIRED'
  | 'VALIDATION_FAILED'

type QueryParameter = {
  /** That of the argument or the field that it sets, unless there is more to say. */
  readonly description?: string
  /** What its schema has besides what follows from its variable. One with a `type` is the whole schema. */
  readonly schema?: Json
  /** A parameter with several can be repeated. */
  readonly example: string | readonly string[]
}

/** A body, whose fields set the variables of the same names. */
type Body<Fields> = {
  readonly example: Fields
  /** Whether a request may have no body. */
  readonly isOptional?: true
  /** Other names of flags, each of which is ignored if its flag is present. */
  readonly aliases?: Readonly<Record<string, string & keyof Fields>>
  /** What the fields mean, where a client may put several into one. Clients of full views do not. */
  readonly meaning?: (fields: Variables) => Variables
}

/** What a response may depend on besides the data. */
export type Asked = Extent & { readonly viewer: Pick<Viewer, 'id'>; readonly variables: Variables }

/** What a response is made by. */
type ResponseView<Shown> = {
  readonly description: string
  /** A component of the OpenAPI document, or a union of several. */
  readonly schema: Component | Derived | Json
  readonly object: (shown: Shown, asked: Asked) => unknown
  /** Examples by the names of the components. */
  readonly examples: Json
}

/** A page of a list in a result. `endCursor` is where the next page begins. */
export type ConnectionData = {
  readonly nodes: readonly unknown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

type ListOf<Data> = {
  /**
   * How a request names a page. By its number, which sets `$offset`: the path's `{page}` or, without it, the query's `page`. By the
   * cursor before it, which sets `$after`: the query's `after`, which lists with numbers take too. A feed is read by cursors too,
   * but has no end, so that requests can wait.
   */
  readonly by: 'number' | 'cursor' | 'feed'
  /** The default size of a page, if it is not the usual one. The size sets `$first`. */
  readonly size?: number
  /** The page in the result. */
  readonly of: (data: Data) => ConnectionData | null | undefined
}

/** The list of which a response has a page. */
export type List = ListOf<unknown>

type OperationOf<Data, Fields, Shown, Resource extends TaggedResource> = {
  /** The method and the path below `/api/v1`; `RestInterface` has the parameters. */
  readonly route: `${Method} /${string}`
  readonly summary: string
  readonly description: string
  /** Scopes that the operation requires besides those of the fields that it selects. */
  readonly scopes?: ScopeSets
  /** Scopes that add to the response. */
  readonly optionalScopes?: readonly Scope[]
  /** Without it a body is ignored, whatever it is. */
  readonly body?: Body<Fields>
  /** The parameters of the query, which set the variables of the same names. Links to other pages keep them. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** The list that the response has a page of. */
  readonly list?: ListOf<Data>
  /** Its name is the operation's, and its variables are named like the path parameters and body fields that set them. */
  readonly document: TypedDocument<unknown>
  readonly view: ResponseView<Shown>
  /** What the view shows of the result of the document. Null is not found. */
  readonly of: (data: Data) => Shown | null
  /** The description of the response, if there is more to say than that of the view. */
  readonly result?: string
  /**
   * The resource whose entity tag the response has. With that of GET, writes of the same path take `$ifUnchangedSince`, for
   * preconditions.
   */
  readonly tagged?: Tagged<Data, Resource>
  /** For how many seconds any cache may keep the response, which is the same for everybody. It has an entity tag. */
  readonly cachedFor?: number
  /** The errors that the operation can return besides those that follow from the rest of its definition. */
  readonly errors?: readonly OperationError[]
}

/** An operation with what follows from its route and its document. */
export type Definition = OperationOf<unknown, unknown, unknown, TaggedResource> & {
  /** The `operationId` of the OpenAPI document. */
  readonly id: string
  readonly method: Method
  readonly path: string
  /** Whether clients can ask for full views. */
  readonly hasFullView: boolean
}

/** A group of operations. */
export type Group = {
  readonly tag: string
  readonly description: string
  /** The version of the interface that its responses follow. */
  readonly version: string
  /** What its paths lead to, such as `post`. */
  readonly resourceName: string
}

/** An operation of the REST interface. */
export type Operation = Definition & { readonly group: Group }

/** What the OpenAPI document says of an operation. */
export type Documented = Omit<Operation, 'route' | 'document' | 'view' | 'of' | 'hasFullView'> & {
  readonly hasFullView?: boolean
  /** What follows from its document: see `PreparedDocuments`. */
  readonly needsToken?: boolean
  readonly handlesSecrets?: boolean
  readonly view: Pick<ResponseView<unknown>, 'description' | 'schema' | 'examples'>
  /** The media type of the response, if it is not JSON. The schema is that of a line then. */
  readonly type?: string
}

/** The values of a variable as bodies have them: enums have other names, which are not checked in lists, and times are numbers. */
type Sent<Value> = Value extends Date
  ? number
  : Value extends readonly unknown[]
    ? readonly string[]
    : Value extends string
      ? string extends Value
        ? Value
        : Lowercase<Value>
      : Value

type BodyOf<Node> = { readonly [Name in keyof VariablesOf<Node>]?: Sent<VariablesOf<Node>[Name]> | undefined }

/** Defines an operation, checked against the types of its documents. */
export function operation<Node, Shown, Resource extends TaggedResource>(
  definition: OperationOf<ResultOf<Node>, BodyOf<Node>, Shown, Resource> & {
    readonly document: TypedDocument<Node>
  },
): Definition {
  const [method, path = ''] = definition.route.split(' ')
  const [, name = ''] = definition.document.source.split(/[^\w]/)
  const id = `${name.charAt(0).toLowerCase()}${name.slice(1)}`
  // The executor returns `unknown`. It validates documents against the schema that their types are inferred from.
  return { ...definition, id, method, path, hasFullView: isExtended(definition.document) } as Definition
}

/** The body of a response. Throws `NOT_FOUND` if there is nothing to show. */
export function bodyOfResponse({ view, of, group }: Operation, data: unknown, asked: Asked): unknown {
  const shown = of(data)
  if (shown === null) throw notFound(group.resourceName)
  return view.object(shown, asked)
}

/** The path of a list without the number of a page. */
export const pathOfList = ({ path }: Pick<Definition, 'path'>): string => path.replace('/{page}', '')

/** The paths of an operation: a list also works without a page in its path. */
export const pathsOf = (operation: Pick<Definition, 'path'>): ReadonlySet<string> =>
  new Set([operation.path, pathOfList(operation)])

/** A parameter of paths. */
type PathParameter = {
  readonly description: string
  readonly schema: Json
  readonly example: string
  /** The variables that a value sets; `resourceName` is what the path names. Throws `NOT_FOUND` for a malformed value. */
  readonly variables: (value: string, resourceName: string) => Variables
  /**
   * For what clients can name in several ways: a query that finds it by these variables as `found { uuid }`, for the mutations that
   * take a uuid only.
   */
  readonly find?: string
}

/**
 * Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the
 * operation.
 */
export type Endpoint = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | FastifyReply>

/** An operation that streams its response instead of running a document. */
type Stream = {
  readonly definition: Documented
  readonly endpoint: (services: ApiServices) => Endpoint
}

/** A REST interface: everything that routes and the OpenAPI document follow from. */
export type RestInterface = {
  /** The version of what is no operation, such as a path that does not exist. */
  readonly version: string
  /** All scopes, and what each lets a client do. */
  readonly scopes: Readonly<Record<Scope, { readonly sentence: string }>>
  readonly title: string
  readonly summary: string
  readonly description: string
  /** The parameters of paths, by their names. A page is no such parameter: lists have it. */
  readonly parameters: Readonly<Record<string, PathParameter>>
  readonly operations: readonly Operation[]
  readonly streams: readonly Stream[]
}

/** All operations of an interface, streams too. */
export const documentedOf = ({ operations, streams }: RestInterface): readonly Documented[] => [
  ...operations,
  ...streams.map(({ definition }) => definition),
]

/**
 * What reads the resource that a write changes: the GET of its path that has an entity tag. The preconditions of the write are on it.
 * A POST changes no such resource.
 */
export const conditionalRead = (
  { operations }: Pick<RestInterface, 'operations'>,
  { method, path }: Pick<Definition, 'method' | 'path'>,
): Operation | undefined =>
  method === 'GET' || method === 'POST'
    ? undefined
    : operations.find((it) => it.method === 'GET' && it.path === path && it.tagged)

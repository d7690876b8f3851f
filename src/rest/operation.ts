import type { ResultOf } from 'gql.tada'
import type { Session } from '../domain/sessions.ts'
import type { ErrorCode } from '../errors.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import type { TaggedForm, TaggedResource } from './entity-tag.ts'
import type { TypedDocument } from './graphql.ts'
import type { BodyField } from './schemas/body-fields.ts'
import type { ResponseComponent } from './schemas/components.ts'
import type { Variables } from './variables.ts'
import type { ApiVersion } from './versions.ts'

/** The errors that every operation can return. */
export const commonErrors = [
  'BAD_REQUEST',
  'UNAUTHENTICATED',
  'INSUFFICIENT_SCOPE',
  'ACCOUNT_SUSPENDED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** The errors that every operation can return that takes an `Idempotency-Key`. */
export const repeatableErrors = [
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
] as const satisfies readonly ErrorCode[]

/** Whether an operation writes, so that it takes an `Idempotency-Key`. */
export const isRepeatable = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET'

/** `METHOD_NOT_ALLOWED` is an error of a path, which has no such operation. */
type OperationError = Exclude<
  ErrorCode,
  (typeof commonErrors)[number] | (typeof repeatableErrors)[number] | 'METHOD_NOT_ALLOWED'
>

type OperationOf<Data, Found, Body extends object> = {
  /** The `operationId` of the OpenAPI document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`; `paths.ts` has its parameters. */
  readonly path: string
  readonly version: ApiVersion
  readonly tag: 'Posts' | 'Users' | 'Replies'
  readonly summary: string
  readonly description: string
  /** Scopes that the operation requires besides those of the fields that it selects. */
  readonly scopes?: ScopeSets
  /** Scopes that add to the response. */
  readonly optionalScopes?: readonly Scope[]
  /** The fields of the body, by name. Without them a body is ignored, whatever it is. */
  readonly body?: Readonly<Record<string, BodyField>>
  /**
   * The default size of a page, and the list in the result. Sets `$first` and `$offset`. The page number is the path's
   * `{page}` or, where it has none, the query's `page`.
   */
  readonly pages?: {
    readonly size: number
    readonly list: (data: Data) => { readonly pageInfo: { readonly hasNextPage: boolean } } | undefined
  }
  /** The query has a `uuid` for each element of `$uuids`. */
  readonly uuids?: { readonly description: string; readonly example: readonly string[] }
  /** Runs before the document and finds more variables for it. */
  readonly lookup?: {
    readonly document: TypedDocument<unknown>
    readonly isNeeded: (variables: Variables) => boolean
    /** Throws `NOT_FOUND`. */
    readonly variables: (found: Found) => Variables
  }
  /** Its variables are named like the path parameters and body fields that set them, so the schema gives their types. */
  readonly document: TypedDocument<unknown>
  readonly response: {
    readonly description: string
    /** The schemas of the body: one of them applies. */
    readonly components: readonly [ResponseComponent<NoInfer<Body>>, ...ResponseComponent<NoInfer<Body>>[]]
    /** The body, from the result of the document and the variables that it ran with. Throws `NOT_FOUND`. */
    readonly body: (data: Data, session: Session, variables: Variables) => Body
  }
  /** The resource whose entity tag the response has. Responses to GET are conditional on `If-None-Match`. */
  readonly tagged?: {
    readonly form: TaggedForm
    readonly resource: (data: Data) => TaggedResource | null | undefined
  }
  /** Whether the operation is conditional on `If-Match`, which sets `$ifUnchangedSince`. */
  readonly ifMatch?: true
  /** The errors that the operation can return besides `commonErrors`. */
  readonly errors: readonly OperationError[]
}

/** An operation of the REST interface. */
export type Operation = OperationOf<unknown, unknown, object>

type Lookup<Node> = OperationOf<unknown, ResultOf<Node>, object>['lookup'] & { readonly document: TypedDocument<Node> }

/** Defines an operation, checked against the types of its documents. */
export function operation<Node, Body extends object, FoundNode = unknown>(
  definition: OperationOf<ResultOf<Node>, ResultOf<FoundNode>, Body> & {
    readonly document: TypedDocument<Node>
    readonly lookup?: Lookup<FoundNode>
  },
): Operation {
  // The executor returns `unknown`. It validates documents against the schema that their types are inferred from.
  return definition as Operation
}

/** The same list with the page number in its query, which may be left out. */
export function withPageInQuery(list: Operation): Operation {
  return {
    ...list,
    id: `${list.id}ByQuery`,
    path: list.path.replace(/\/\{page\}$/, ''),
    summary: `${list.summary}, with the page in the query`,
  }
}

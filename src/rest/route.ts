import type { Session } from '../domain/sessions.ts'
import type { ScopeSets } from '../scopes.ts'
import type { Page, RestDocument } from './documents.ts'

/** Values for the variables of a document, by name. Those that a document does not declare are passed over. */
export type Variables = Readonly<Record<string, unknown>>

/** The pages of the interface (section 9): that of posts and users, which all else follows too, and that of replies. */
export const apiVersions = { posts: 'V26.07.22', replies: 'V26.05.28' } as const

/** The page of the interface that an answer follows. */
export type ApiVersion = (typeof apiVersions)[keyof typeof apiVersions]

/** The name of an operation, as the OpenAPI document and what is generated from it call it. */
export type OperationId =
  | 'getPost'
  | 'getPostReplies'
  | 'sendPost'
  | 'updatePost'
  | 'deletePost'
  | 'togglePostLike'
  | 'getOwnUser'
  | 'getUser'
  | 'getUserPosts'
  | 'toggleFollow'
  | 'getFollowing'
  | 'getFollowers'
  | 'getReply'
  | 'sendReply'
  | 'updateReply'
  | 'deleteReply'
  | 'toggleReplyLike'

/**
 * One operation of the REST interface. A variable of its documents is named like the path parameter or the body field
 * that it takes its value from, so the schema says what is required and of which type.
 */
export type RestRoute<Data, Found> = {
  readonly id: OperationId
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`; the parameters are those of `paths.ts`. */
  readonly path: string
  readonly version: ApiVersion
  /** Scopes beyond what the fields of the documents need. */
  readonly scopes?: ScopeSets
  /** The body fields that are read. Without them a body is ignored, whatever it is. */
  readonly body?: readonly string[]
  /**
   * How many elements a page has unless `limit` says otherwise, and where the list is. Sets `$first` and `$offset`. The
   * page number is the path's `{page}` or, where it has none, the query's `page`.
   */
  readonly pages?: { readonly size: number; readonly list: (data: Data) => Page<unknown> | undefined }
  /** Run before the document, to refuse or to find more variables for it. */
  readonly lookup?: {
    readonly document: RestDocument<Found>
    /** Whether it is needed; it is unless this says no. */
    readonly when?: (variables: Variables) => boolean
    /** Throws `NOT_FOUND`. */
    readonly variables: (found: Found) => Variables
  }
  readonly document: RestDocument<Data>
  /** The documented JSON, from what the document answered and the variables that it was run with. Throws `NOT_FOUND`. */
  readonly answer: (data: Data, session: Session, variables: Variables) => object
}

/** A route whose documents' types are forgotten. */
export type Route = RestRoute<unknown, unknown>

/** Whether the page number of a route with pages is in its path, and not in the query. */
export function hasPageInPath({ path }: Pick<Route, 'path'>): boolean {
  return path.endsWith('/{page}')
}

/** Checks a row of the route table against the types of its documents. */
export function route<Data, Found = unknown>(row: RestRoute<Data, Found>): Route {
  // The executor yields `unknown`. It has validated the documents, so what they yield is what their types write down.
  return row as Route
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiServices } from '../http/api-services.ts'
import type { Scope } from '../scopes.ts'
import type { Definition, Documented, Operation } from './operation.ts'
import type { Variables } from './variables.ts'

/** A parameter of paths. */
type PathParameter = {
  readonly description: string
  readonly schema: z.ZodType
  readonly example: string | number
  /** The variables that a value sets; `finds` is what the path leads to. Throws `NOT_FOUND` for a malformed value. */
  readonly variables: (value: string, finds: string) => Variables
  /** For what clients can name in several ways: a query that finds it by these variables as `found { uuid }`, for the mutations that take a uuid only. */
  readonly find?: string
}

/** Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
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
  readonly scopes: Readonly<Record<Scope, string>>
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

/** What reads the resource that a write changes: the GET of its path that has an entity tag. The preconditions of the write are on it. */
export const conditionalRead = (
  { operations }: Pick<RestInterface, 'operations'>,
  { method, path }: Pick<Definition, 'method' | 'path'>,
): Definition | undefined =>
  method === 'GET' ? undefined : operations.find((it) => it.method === 'GET' && it.path === path && it.tagged)

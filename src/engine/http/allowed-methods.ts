import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'

/** The media types of the bodies that a method takes. A merge patch (RFC 7396) sets no field to null: null counts as absent. */
export const bodyTypes = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']

/**
 * `Accept-Patch` (RFC 5789, section 3.1) and `Accept-Post` (W3C Linked Data Platform, section 7.1), as far as the methods are among
 * these.
 */
export function acceptBodies(methods: readonly string[]): Readonly<Record<string, string>> {
  const accepting = ['PATCH', 'POST'].filter((method) => methods.includes(method))
  return Object.fromEntries(accepting.map((method) => [`accept-${method.toLowerCase()}`, bodyTypes(method).join(', ')]))
}

/** A method with those that it stands for: GET serves HEAD too. */
export const withHead = (method: string): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

/**
 * Answers OPTIONS with `Allow` (RFC 9110, section 10.2.1), `Accept-Patch` and `Accept-Post`, and refuses all methods that the path does
 * not support.
 */
export function answerOtherMethods(
  scope: FastifyInstance,
  { url, methods, takingBodies = methods, what = 'This path', config = {} }: OtherMethods,
): void {
  const headers = { allow: [...methods, 'OPTIONS'].join(', ') }
  scope.route({
    method: scope.supportedMethods.filter((method) => !methods.includes(method)),
    url,
    config,
    handler: async (request, reply) => {
      if (request.method !== 'OPTIONS') {
        throw new Refusal('METHOD_NOT_ALLOWED', `${what} supports ${headers.allow} only.`, { headers })
      }
      return reply
        .code(204)
        .headers({ ...headers, ...acceptBodies(takingBodies) })
        .send()
    },
  })
}

/** Adds a path that is only read. */
export function addReadOnly(
  scope: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
): void {
  const methods = withHead('GET')
  scope.route({ method: methods, url, handler })
  answerOtherMethods(scope, { url, methods })
}

type OtherMethods = {
  readonly url: string
  /** With HEAD where there is GET. */
  readonly methods: readonly string[]
  /** Those that do not ignore bodies. */
  readonly takingBodies?: readonly string[]
  readonly what?: string
  readonly config?: FastifyContextConfig
}

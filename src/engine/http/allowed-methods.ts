import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { acceptBodies } from './body-types.ts'

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

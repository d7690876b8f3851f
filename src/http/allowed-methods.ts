import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'

/** The value of the `Allow` header (RFC 9110, section 10.2.1) of a path with these methods. */
export function allowOf(methods: readonly string[]): string {
  return [...methods, 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD')
}

/**
 * Answers OPTIONS with the methods of a path, and refuses all that the path does not support. `check` refuses a request before that.
 */
export function answerOtherMethods(
  scope: FastifyInstance,
  { url, methods, what = 'This path', config = {}, check }: OtherMethods,
): void {
  const allow = allowOf(methods)
  const own = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])
  scope.route({
    method: scope.supportedMethods.filter((method) => !own.has(method)),
    url,
    config,
    handler: async (request, reply) => {
      check?.(request)
      if (request.method !== 'OPTIONS') {
        throw new Refusal('METHOD_NOT_ALLOWED', `${what} supports ${allow} only.`, { allow })
      }
      return reply.code(204).header('allow', allow).send()
    },
  })
}

type OtherMethods = {
  readonly url: string
  readonly methods: readonly string[]
  readonly what?: string
  readonly config?: FastifyContextConfig
  readonly check?: (request: FastifyRequest) => void
}

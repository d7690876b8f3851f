import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * The options of the cookie of a session. On https, its name has the prefix `__Host-`, which needs the path `/` (RFC 6265bis,
 * section 4.1.3.2).
 */
export function sessionCookie(issuer: string) {
  const { protocol, pathname } = new URL(issuer)
  const path = protocol === 'https:' ? '/' : `${pathname.replace(/\/$/, '')}/oauth`
  return { httpOnly: true, sameSite: 'lax', signed: false, path } as const
}

/** The secret of the browser that sends the present request. */
const current = new AsyncLocalStorage<string>()

/** The routes that begin something which only the same browser may go on with. */
const beginnings: ReadonlySet<string | undefined> = new Set(['/oauth/authorize', '/oauth/device'])

/**
 * Gives each browser a secret in a cookie. Steps are found with it only, so that nobody can make others go on with a step of
 * theirs: on https, a page of another host cannot set a cookie with the prefix `__Host-`.
 */
export function addBrowsers(scope: FastifyInstance, issuerOf: (request: FastifyRequest) => string): void {
  scope.addHook('preHandler', (request, reply, done) => {
    const issuer = issuerOf(request)
    const isSecure = issuer.startsWith('https:')
    const name = isSecure ? '__Host-rookery_browser' : 'rookery_browser'
    const [, known] = new RegExp(`(?:^|; *)${name}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '') ?? []
    const secret = known ?? randomBytes(32).toString('base64url')
    if (!known && beginnings.has(request.routeOptions.url)) {
      const { path } = sessionCookie(issuer)
      reply.header('set-cookie', `${name}=${secret}; path=${path}; ${isSecure ? 'secure; ' : ''}httponly; samesite=lax`)
    }
    current.run(secret, done)
  })
}

/** What is bound to the browser of the present request. */
export const inBrowser = (what: string): string => `${what}:${current.getStore() ?? ''}`

/** The secret that forms of the present browser send (double submit), for pages of the library that require one. */
export const formSecret = (): string => createHash('sha256').update(inBrowser('form')).digest('base64url')

import type { FastifyRequest } from 'fastify'
import { forbidden } from '../../../engine/errors.ts'

/**
 * Refuses a form that a page of another site has sent. Browsers say where a form is from in `Sec-Fetch-Site`, older ones in `Origin` alone, and other
 * clients in neither; they have no cookies that a page could misuse.
 */
export function requireSameOrigin({ raw: { headers } }: FastifyRequest, issuer: string): void {
  const { origin, 'sec-fetch-site': site } = headers
  const isSame = site === undefined ? origin === undefined || origin === new URL(issuer).origin : site === 'same-origin'
  if (!isSame) throw forbidden('OTHER_SITE', 'This form was sent by a page of another site.')
}

import type { FastifyRequest } from 'fastify'
import { negotiatorFor } from '../http/negotiation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the client of a request to `/graphql` accepts, once it was read. */
    accepted: Accepted | undefined
  }
}

const json = 'application/json'
const graphqlResponse = 'application/graphql-response+json'
const events = 'text/event-stream'
const html = 'text/html'

/** What those who take JSON accept. */
const takingJson: ReadonlySet<string> = new Set([json, graphqlResponse, 'application/*', '*/*'])

/** What a client accepts. */
export type Accepted = {
  /** The media type of results (GraphQL over HTTP, section 4): `application/json` also for a client that accepts neither (RFC 9110, section 12.4.1). */
  readonly mediaType: typeof json | typeof graphqlResponse
  /** Whether Server-Sent Events are taken, and whether nothing else is. */
  readonly takesEvents: boolean
  readonly takesOnlyEvents: boolean
  /** Whether it prefers a page, as browsers do. */
  readonly prefersHtml: boolean
}

/** Most headers need no parsing. */
const usual: Accepted = { mediaType: json, takesEvents: false, takesOnlyEvents: false, prefersHtml: false }
const unusual = /graphql-response|event-stream|html/

/** What the client of a request to `/graphql` accepts. Reads the header once. */
export function acceptedBy(request: FastifyRequest): Accepted {
  const header = request.raw.headers.accept?.toLowerCase()
  request.accepted ??= header && unusual.test(header) ? parseAccept(header) : usual
  return request.accepted
}

function parseAccept(header: string): Accepted {
  const negotiator = negotiatorFor({ accept: header })
  const types = negotiator.mediaTypes()
  const takesEvents = types.includes(events)
  return {
    mediaType:
      types.find((type) => type === json || type === graphqlResponse) === graphqlResponse ? graphqlResponse : json,
    takesEvents,
    takesOnlyEvents: takesEvents && !types.some((type) => takingJson.has(type)),
    prefersHtml: header.includes(html) && negotiator.mediaType([json, graphqlResponse, html]) === html,
  }
}

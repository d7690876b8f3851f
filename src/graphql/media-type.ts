import { negotiatorFor } from '../http/negotiation.ts'

const json = 'application/json'
const graphqlResponse = 'application/graphql-response+json'
const events = 'text/event-stream'
const html = 'text/html'

/** The media types of responses (GraphQL over HTTP, section 4). */
export type MediaType = typeof json | typeof graphqlResponse

/**
 * The media type of every response of `/graphql`: `application/graphql-response+json` for a client that names it, otherwise
 * `application/json`, also for a client that accepts neither (RFC 9110, section 12.4.1).
 */
export function mediaTypeFor(accept: string | undefined): MediaType {
  const header = accept?.toLowerCase()
  // Most headers need no parsing.
  if (!header?.includes(graphqlResponse)) return json
  return negotiatorFor({ accept: header }).mediaTypes().includes(graphqlResponse) ? graphqlResponse : json
}

/** Whether a client takes Server-Sent Events, and whether it takes nothing else. */
export function eventsFor(accept: string | undefined): { readonly isTaken: boolean; readonly isOnly: boolean } {
  const header = accept?.toLowerCase()
  if (!header?.includes(events)) return { isTaken: false, isOnly: false }
  const types = negotiatorFor({ accept: header }).mediaTypes()
  const isTaken = types.includes(events)
  return { isTaken, isOnly: isTaken && !types.some((type) => type === json || type === graphqlResponse) }
}

/** Whether a client prefers a page, as browsers do. */
export function prefersHtml(accept: string | undefined): boolean {
  const header = accept?.toLowerCase()
  return (
    header?.includes(html) === true &&
    negotiatorFor({ accept: header }).mediaType([json, graphqlResponse, html]) === html
  )
}

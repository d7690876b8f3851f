import type { IncomingMessage } from 'node:http'
import { Refusal } from '../errors.ts'

const noQuery = new URLSearchParams()

/** Parses the query string of a request. Throws `BAD_REQUEST` for one that is not percent-encoded UTF-8. */
export function readQuery({ url = '' }: Pick<IncomingMessage, 'url'>): URLSearchParams {
  const queryAt = url.indexOf('?')
  if (queryAt < 0) return noQuery
  const search = url.slice(queryAt)
  if (!isDecodable(search)) throw new Refusal('BAD_REQUEST', 'The query string is not percent-encoded UTF-8.')
  return new URLSearchParams(search)
}

/** The path of GraphQL, the prefix of all paths of REST, and the path of agents. */
const graphqlPath = '/graphql'
export const basePath = '/api/v1'
export const mcpPath = '/mcp'

/** What a request is for: one of the APIs, agents, or nothing of these. */
export type Surface = 'graphql' | 'rest' | 'mcp' | 'other'

/** What a path belongs to. */
export function surfaceOf(path: string): Surface {
  if (path === graphqlPath || path === `${graphqlPath}/`) return 'graphql'
  if (path === mcpPath || path === `${mcpPath}/`) return 'mcp'
  return path === basePath || path.startsWith(`${basePath}/`) ? 'rest' : 'other'
}

/** The path of a request, percent-encoded as sent. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const queryAt = url.indexOf('?')
  return queryAt < 0 ? url : url.slice(0, queryAt)
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    // Bundlers remove the call if its result is not used.
    return decodeURIComponent(text).length <= text.length
  } catch {
    return false
  }
}

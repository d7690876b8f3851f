import type { Running } from '../servers/server.ts'
import { argumentDialect, type Dialect, rookeryDialect, settingsDialect } from './dialect.ts'
import type { Call, GraphQLWork, Variables, Work } from './work.ts'

/** A request over HTTP, ready to be sent. */
export type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Makes the requests of one server. `nth` is a number that no other request of a fresh work has. */
export type Speaker = (work: Work, call: Call, nth: number) => Request

const json = { 'content-type': 'application/json' }

type Headers = (call: Call) => Readonly<Record<string, string>>
const byHeader: Headers = ({ viewer }) => ({ 'x-viewer': viewer.id })
const byToken: Headers = ({ viewer }) => ({ authorization: `Bearer ${viewer.token}` })

/** The floor is asked by the name of the work and the values of its statement. */
const floor =
  (headers: Headers): Speaker =>
  ({ name, floor: { values } }, call) => ({
    method: 'POST',
    path: `/${name}`,
    headers: { ...json, ...headers(call) },
    body: JSON.stringify(values.map((value) => call.variables[value] ?? null)),
  })

type Wording = {
  readonly dialect: Dialect
  readonly cursor: (list: GraphQLWork['list'], key: string) => string
  readonly headers: Headers
}

function graphqlBody(
  work: GraphQLWork,
  { viewer, variables }: Call,
  nth: number,
  { dialect, cursor }: Wording,
): string {
  const query = work.document(dialect, nth)
  const all: Variables = { ...variables, viewer: viewer.id }
  const declared = Object.entries(all).filter(([name]) => query.includes(`$${name}:`))
  const values = declared.map(([name, value]) => [
    name,
    name === 'after' && typeof value === 'string' ? cursor(work.list, value) : value,
  ])
  return JSON.stringify({ query, variables: Object.fromEntries(values) })
}

function speaker(wording: Wording): Speaker {
  return (work, call, nth) => {
    const headers = wording.headers(call)
    if (work.surface === 'graphql') {
      const body = graphqlBody(work, call, nth, wording)
      return { method: 'POST', path: '/graphql', headers: { ...json, ...headers }, body }
    }
    const { method, path, body } = work.request(call.variables)
    const sent =
      body === undefined ? { headers, body: null } : { headers: { ...json, ...headers }, body: JSON.stringify(body) }
    return { method, path: `/api/v1${path}`, ...sent }
  }
}

/** A cursor of PostGraphile names the order that it is of, which only PostGraphile knows: it is taken from one that it made. */
async function postgraphileCursor({ origin }: Running): Promise<Wording['cursor']> {
  const query = `{ allPublications(first: 1, orderBy: ROW_ID_ASC) { edges { cursor } } }`
  const response = await fetch(`${origin}/graphql`, { method: 'POST', headers: json, body: JSON.stringify({ query }) })
  const [, cursor] = /"cursor":"([^"]+)"/.exec(await response.text()) ?? []
  const order: unknown = JSON.parse(Buffer.from(cursor ?? '', 'base64').toString() || 'null')
  if (!Array.isArray(order)) throw new Error('PostGraphile gave no cursor.')
  return (list, key) => (list === 'home' ? key : Buffer.from(JSON.stringify([order[0], key])).toString('base64'))
}

/** What makes the requests of a server. */
export async function speakerOf(running: Running): Promise<Speaker> {
  const { kind } = running.server
  if (kind === 'floor') return floor(byHeader)
  if (kind === 'duties') return floor(byToken)
  if (kind === 'postgraphile-settings' || kind === 'postgraphile-argument') {
    const dialect = kind === 'postgraphile-settings' ? settingsDialect : argumentDialect
    return speaker({ dialect, cursor: await postgraphileCursor(running), headers: byHeader })
  }
  if (kind === 'rookery') {
    return speaker({
      dialect: rookeryDialect,
      cursor: (_, key) => Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url'),
      headers: byToken,
    })
  }
  const cursor: Wording['cursor'] = (_, key) => Buffer.from(key).toString('base64url')
  return speaker({ dialect: rookeryDialect, cursor, headers: byHeader })
}

/** Whether a server of that kind is measured at a work. */
export function isMeasuredAt(kind: string, { surface, kinds }: Work): boolean {
  if (kinds) return kinds.includes(kind)
  return surface === 'graphql' || ['floor', 'duties', 'rookery'].includes(kind)
}

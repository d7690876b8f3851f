import { v7 as newId } from 'uuid'
import { Budgets, type RateLimit } from '../../src/engine/auth/budgets.ts'
import { TokenCache } from '../../src/engine/auth/viewers.ts'
import type { Database } from '../../src/engine/data/database.ts'
import { memoryLimiters } from '../../src/engine/data/limiters.ts'
import type { Log } from '../../src/engine/log.ts'
import type { Scope } from '../../src/engine/scopes.ts'
import { issueToken } from '../../src/features/accounts/access-tokens.ts'
import type { Admission } from '../../src/features/accounts/admission.ts'
import { findViewer } from '../../src/features/accounts/find-viewer.ts'
import { Authenticators } from '../../src/features/accounts/second-factor/authenticators.ts'
import { SignInLimits } from '../../src/features/accounts/sign-in-limits.ts'
import { commonScopes } from '../../src/features/base/scopes.ts'
import { rateLimits, readConfig } from '../../src/server/config.ts'
import { createServer } from '../../src/server/server.ts'
import type { ServerOptions } from '../../src/server/server-options.ts'
import { type KeptLog, keepLog } from './database/statements.ts'
import { openTestDatabase } from './database.ts'
import { portOf } from './http/port.ts'
import { cheapPasswords } from './passwords.ts'
import { authorization, callRest, type RestCall } from './rest/call.ts'

/** An account with a bearer token that has every scope, except for that of moderators. */
export type Person = { readonly id: string; readonly username: string; readonly token: string }

/** The response to a GraphQL request. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly data: unknown
  readonly errors: readonly GraphQLErrorJson[]
}

/** A GraphQL error as clients receive it. */
export type GraphQLErrorJson = {
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: (string | number)[]
  readonly extensions: Record<string, unknown>
}

/** The real app on a real socket and a database of its own. */
export type TestApp = KeptLog & {
  readonly origin: string
  readonly database: Database
  /** Creates an account without hashing a password. */
  person(username?: string): Promise<Person>
  /** Creates a token of this account with exactly these scopes, and makes it a moderator if one of them requires that. */
  token(owner: Person, granted: readonly Scope[], more?: { applicationId?: string; expiresAt?: Date }): Promise<string>
  /** Calls `/api/v1` + path. A body that is not a string is sent as JSON. Rejects if the response is not documented. */
  rest(...request: RestCall): Promise<Response>
  graphql(
    token: string | undefined,
    query: string,
    variables?: Record<string, unknown>,
    more?: { operationName?: string; headers?: Record<string, string> },
  ): Promise<Answer>
  /** Stops the server when all responses have been delivered. The database stays open. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** What sends GraphQL to a server. */
export const graphqlAt =
  (origin: string): TestApp['graphql'] =>
  async (bearer, query, variables = {}, { operationName, headers = {} } = {}) => {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(bearer), ...headers },
      body: JSON.stringify({ query, variables, operationName }),
    })
    const { data, errors = [] } = (await response.json()) as Partial<Answer>
    return { status: response.status, headers: response.headers, data, errors }
  }

/** Wraps the database of an app for another app, which does not close it. */
export function sharing({ database }: TestApp): () => Promise<Database> {
  return async () => ({ ...database, close: async () => {} })
}

const usual = readConfig({})

/** The setting of whom an app admits: as by default, but that everybody can invite, and with these rules. */
export function admitting(rules: Partial<Admission>): Pick<ServerOptions, 'admission'> {
  return { admission: { ...usual.admission, invitations: 'members', ...rules } }
}

/** What encrypts the secrets of authenticator apps in tests. */
export const authenticators = new Authenticators('A'.repeat(43), 'Rookery')

/** Budgets that start full, by default the largest that can be configured. */
export function budgets(rate: RateLimit = { points: rateLimits.max, seconds: 3_600 }): Budgets {
  return new Budgets(rate, memoryLimiters)
}

/** Starts the app on a free port of a host, and closes the database with it. */
export async function startApp(
  settings: Partial<ServerOptions> = {},
  open: (log: Log) => Promise<Database> = openTestDatabase,
  host = '127.0.0.1',
): Promise<TestApp> {
  const kept = keepLog()
  const database = await open(kept.log)
  const viewers = new TokenCache((token) => findViewer(database, token, settings.contact))
  const app = {
    ...usual,
    ...admitting({}),
    database,
    viewers,
    passwords: cheapPasswords(),
    authenticators,
    mail: undefined,
    demo: undefined,
    budgets: budgets(),
    signInLimits: new SignInLimits(memoryLimiters),
    log: kept.log,
    ...settings,
  }
  const server = await createServer(app)
  // PGlite can block the event loop for longer than idle connections are kept, and clients would find them closed.
  server.server.keepAliveTimeout = 0
  await server.listen({ host, port: 0 })
  const origin = `http://127.0.0.1:${portOf(server.server)}`

  const token: TestApp['token'] = async ({ id: userId }, granted, { applicationId, expiresAt = null } = {}) => {
    if (granted.includes('moderation.manage')) {
      const where = { id: userId, moderatorSince: null }
      await database.write.prisma.user.updateMany({ where, data: { moderatorSince: new Date() } })
    }
    const request = { userId, name: 'Test', scopes: granted, expiresAt, applicationId: applicationId ?? null }
    return (await database.write.prisma.$transaction((transaction) => issueToken(transaction, request))).token
  }

  return {
    ...kept,
    origin,
    database,
    token,
    person: async (username = `user_${newId().replaceAll('-', '').slice(-20)}`) => {
      const data = { id: newId(), username, displayName: username, email: `${username}@example.org`.toLowerCase() }
      const { id } = await database.write.prisma.user.create({ data })
      return { id, username, token: await token({ id, username, token: '' }, commonScopes) }
    },
    rest: (...request) => callRest(origin, ...request),
    graphql: graphqlAt(origin),
    stop: async () => server.close(),
    close: async () => {
      server.server.closeAllConnections()
      await server.close()
      await database.close()
    },
  }
}

import type { AddressInfo } from 'node:net'
import { v7 as newId } from 'uuid'
import type { Database } from '../../src/data/database.ts'
import { issueToken } from '../../src/domain/access-tokens.ts'
import { Passwords } from '../../src/domain/passwords.ts'
import { Sessions } from '../../src/domain/sessions.ts'
import type { Log } from '../../src/log.ts'
import { type Scope, scopes } from '../../src/scopes.ts'
import { type App, createListener } from '../../src/server/listener.ts'
import { createHttpServer } from '../../src/server/malformed.ts'
import { openTestDatabase } from './database.ts'
import { authorization, callRest, type RestCall } from './rest-call.ts'
import { type KeptLog, keepLog } from './statements.ts'

/** Somebody with an account and a bearer token of every scope. */
export type Person = { readonly id: string; readonly username: string; readonly token: string }

/** The answer to a GraphQL request. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly data: unknown
  readonly errors: readonly GraphQLErrorJson[]
}

/** An error as clients see it. */
export type GraphQLErrorJson = {
  readonly message: string
  readonly path?: (string | number)[]
  readonly extensions: Record<string, unknown>
}

/** The real app on a real socket and a database of its own. */
export type TestApp = KeptLog & {
  readonly origin: string
  readonly database: Database
  /** A new account, made without hashing a password. */
  person(username?: string): Promise<Person>
  /** A token of somebody's with these scopes only. */
  token(owner: Person, granted: readonly Scope[], more?: { applicationId?: string; expiresAt?: Date }): Promise<string>
  /** Calls `/api/v1` + path. A body that is not a string is sent as JSON. Rejects when the answer is none that is documented. */
  rest(...request: RestCall): Promise<Response>
  graphql(
    token: string | undefined,
    query: string,
    variables?: Record<string, unknown>,
    more?: { operationName?: string; headers?: Record<string, string> },
  ): Promise<Answer>
  close(): Promise<void>
}

/** Opens the database of an app for another one, which leaves it open. */
export function sharing({ database }: TestApp): () => Promise<Database> {
  return async () => ({ ...database, close: async () => {} })
}

/** Takes some milliseconds, for tests to which the cost of a hash is nothing. */
export const cheapHash = { ln: 10, r: 8, p: 1 } as const

/** Starts the app on a free port, and closes the database with it. */
export async function startApp(
  settings: Partial<App> = {},
  open: (log: Log) => Promise<Database> = openTestDatabase,
): Promise<TestApp> {
  const kept = keepLog()
  const database = await open(kept.log)
  const sessions = new Sessions(database)
  const app = {
    database,
    sessions,
    passwords: new Passwords({ cost: cheapHash }),
    signUpIsOpen: true,
    trustedProxies: 0,
    avatar: 'gravatar' as const,
    log: kept.log,
    ...settings,
  }
  const server = createHttpServer(createListener(app))
  // PGlite can hold the event loop for longer than idle connections are kept, and a client would meet a closed one.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`

  const token: TestApp['token'] = async ({ id: userId }, granted, { applicationId, expiresAt = null } = {}) => {
    const request = { userId, name: 'Test', scopes: granted, expiresAt, applicationId: applicationId ?? null }
    return (await database.write.$transaction((transaction) => issueToken(transaction, request))).token
  }

  return {
    ...kept,
    origin,
    database,
    token,
    person: async (username = `user_${newId().replaceAll('-', '').slice(-20)}`) => {
      const data = { id: newId(), username, displayName: username, email: `${username}@example.org`.toLowerCase() }
      const { id } = await database.write.user.create({ data })
      return { id, username, token: await token({ id, username, token: '' }, scopes) }
    },
    rest: (...request) => callRest(origin, ...request),
    graphql: async (bearer, query, variables = {}, { operationName, headers = {} } = {}) => {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization(bearer), ...headers },
        body: JSON.stringify({ query, variables, operationName }),
      })
      const { data, errors = [] } = (await response.json()) as Partial<Answer>
      return { status: response.status, headers: response.headers, data, errors }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await database.close()
    },
  }
}

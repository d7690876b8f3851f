import { ResponseBodyError } from 'openid-client'
import { signIn, type Wanted } from './sign-in.ts'

/** The URL of the server, and the bearer token to use. */
export type Connection = { readonly url: string; readonly token: string }

/** An error that the user of an example can fix: the message says how. */
export class Complaint extends Error {}

/**
 * The server at `ROOKERY_URL`, by default that of `npm start`, with `ROOKERY_TOKEN`. Without a token, signs in with `ROOKERY_CLIENT_ID`.
 *
 * @throws {Complaint} when there is neither, the server refuses, or the URL is invalid
 */
async function connectionFrom(environment: NodeJS.ProcessEnv, scope: string, path: string): Promise<Connection> {
  const { ROOKERY_URL: url = 'http://127.0.0.1:4000', ROOKERY_TOKEN: token, ROOKERY_CLIENT_ID: clientId } = environment
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new Complaint(`ROOKERY_URL is not an http address: ${url}`)
  }
  const server = url.replace(/\/+$/, '')
  if (token) return { url: server, token }
  if (!clientId)
    throw new Complaint(
      'There is no token. Set ROOKERY_TOKEN to the one that `npm start` prints, or ROOKERY_CLIENT_ID to sign in (see examples/connect.ts).',
    )
  const wanted: Wanted = { scope, resource: server + path }
  const { tokens } = await signIn(server, clientId, wanted).catch((error: unknown) => {
    if (error instanceof TypeError) throw unreachable(server)
    throw error instanceof ResponseBodyError
      ? new Complaint(`The server refused the request: ${error.error_description}`)
      : error
  })
  return { url: server, token: tokens.access_token }
}

/** The error when the server rejects the token. */
export function refusedToken(reason: string): Complaint {
  return new Complaint(`The server rejects ROOKERY_TOKEN: ${reason} The token of a demo ends when its server stops.`)
}

/** The error when the server cannot be reached. */
export function unreachable(url: string): Complaint {
  return new Complaint(
    `There is no server at ${url}. Is it running (npm start)? If it has another address, set ROOKERY_URL.`,
  )
}

/** Runs an example with a token that has these scopes, for the resource at a path. Prints errors that the user can fix in one line. */
export async function run(example: (connection: Connection) => Promise<void>, scope: string, path = ''): Promise<void> {
  // For example `head`, which stops reading.
  process.stdout.on('error', () => process.exit())
  try {
    await example(await connectionFrom(process.env, scope, path))
  } catch (error) {
    if (!(error instanceof Complaint)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

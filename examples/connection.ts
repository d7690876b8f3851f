import { ResponseBodyError } from 'openid-client'
import { signIn, type Wanted } from './sign-in.ts'

/** Where the network is, and the bearer token of whoever asks. */
export type Connection = { readonly url: string; readonly token: string }

/** Something that the user of an example can put right: the message says how. */
export class Complaint extends Error {}

/**
 * The server at `ROOKERY_URL`, by default that of `npm start`, and `ROOKERY_TOKEN`. Without a token, it signs in with `ROOKERY_CLIENT_ID`.
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
    throw error instanceof ResponseBodyError ? new Complaint(`The server refuses: ${error.error_description}`) : error
  })
  return { url: server, token: tokens.access_token }
}

/** What to say when the server refuses the token. */
export function refusedToken(reason: string): Complaint {
  return new Complaint(`The server refuses ROOKERY_TOKEN: ${reason} A token of the demo ends when its server stops.`)
}

/** What to say when nothing answers. */
export function unreachable(url: string): Complaint {
  return new Complaint(`Nothing answers at ${url}. Is the server running (npm start)? ROOKERY_URL says where it is.`)
}

/** Runs an example, with a token of these scopes for what is at a path. What its user can put right is said in one line. */
export async function run(example: (connection: Connection) => Promise<void>, scope: string, path = ''): Promise<void> {
  // Such as `head`, which reads no more.
  process.stdout.on('error', () => process.exit())
  try {
    await example(await connectionFrom(process.env, scope, path))
  } catch (error) {
    if (!(error instanceof Complaint)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

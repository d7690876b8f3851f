/** Where the network is, and the bearer token of whoever asks. */
export type Connection = { readonly url: string; readonly token: string }

/** Something that the user of an example can put right: the message says how. */
export class Complaint extends Error {}

/**
 * What `ROOKERY_URL` and `ROOKERY_TOKEN` say. Without a URL it is the server that `npm start` starts.
 *
 * @throws {Complaint} when there is no token, or the URL is none
 */
export function connectionFrom(environment: NodeJS.ProcessEnv): Connection {
  const { ROOKERY_URL: url = 'http://127.0.0.1:4000', ROOKERY_TOKEN: token = '' } = environment
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new Complaint(`ROOKERY_URL is not an http address: ${url}`)
  }
  if (!token) {
    throw new Complaint(
      'There is no token. Start the server with `npm start`, and set ROOKERY_TOKEN to what it prints.',
    )
  }
  return { url: url.replace(/\/+$/, ''), token }
}

/** What to say when the server refuses the token. */
export function refusedToken(reason: string): Complaint {
  return new Complaint(`The server refuses ROOKERY_TOKEN: ${reason} A token of the demo ends when its server stops.`)
}

/** What to say when nothing answers. */
export function unreachable(url: string): Complaint {
  return new Complaint(`Nothing answers at ${url}. Is the server running (npm start)? ROOKERY_URL says where it is.`)
}

/** Runs an example. What its user can put right is said in one line. */
export async function run(example: (connection: Connection) => Promise<void>): Promise<void> {
  try {
    await example(connectionFrom(process.env))
  } catch (error) {
    if (!(error instanceof Complaint)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

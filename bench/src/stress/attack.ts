import type { Request } from '../works/speaker.ts'

/** What an attack is aimed at. */
export type Target = {
  readonly origin: string
  /** The token of an account that follows 10,000 others. */
  readonly token: string
  /** This token and those of three other accounts. */
  readonly tokens: readonly string[]
  /** Tokens of accounts that send nothing before the attack. */
  readonly newcomers: readonly string[]
  /** The token of an account that does not attack. */
  readonly reader: string
  /** An account that 10,000 follow, as a UUID and as a global id. */
  readonly star: string
  readonly starId: string
  /** A post with 2,000 replies. */
  readonly thread: string
  /** An account with 100 posts that take six bytes of JSON for each character. */
  readonly printer: string
  /** An account with 100 posts of emoji, which take four bytes for two UTF-16 code units. */
  readonly painter: string
  /** An account that signs in with this password. */
  readonly honest: { readonly username: string; readonly password: string }
  /** The name of another account with the same password. */
  readonly bystander: string
}

/** The addresses of the loopback that attackers and honest people come from; those who measure come from the first one. */
export const addresses = { attacker: '127.0.0.2', honest: '127.0.0.3' } as const

/** What came of the requests of an attack. */
export class Tally {
  /** Answered well, or sent without reading the answer. */
  answered = 0
  refused = 0
  /** Connections that were refused, reset or ended without an answer. */
  broken = 0

  get requests(): number {
    return this.answered + this.refused + this.broken
  }

  /** Counts an answer by its status and by how its body begins. */
  count(status: number, start: string): void {
    if (status === 200 && !start.startsWith('{"errors":')) this.answered += 1
    else this.refused += 1
  }
}

/** Attacks until a point in time (see `performance.now`), and says what else it saw. */
export type Strike = (until: number, tally: Tally) => Promise<string | undefined>

/** An attack that is ready, with what was found out about its size. */
export type Ready = { readonly strike: Strike; readonly note?: string }

/** A way to attack a server. */
export type Attack = {
  /** The row of the review that it comes from, or what else it is about. */
  readonly row: string
  readonly name: string
  readonly about: string
  readonly prepare: (target: Target) => Ready | Promise<Ready>
}

/** A query for a long timeline with posts of its authors, which takes long. */
export const longTimeline = '{homeTimeline(first:100){nodes{uuid author{posts(first:40){nodes{uuid author{uuid}}}}}}}'

/** A GraphQL request, without a token unless there is one. */
export function graphql(query: string, token?: string, more: Readonly<Record<string, unknown>> = {}): Request {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify({ query, ...more }),
  }
}

/** So many parts of a document, one after the other. */
export function repeat(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ')
}

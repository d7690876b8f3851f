/** How long things may take, in milliseconds. */
export const patience = {
  /** The headers of a request, to arrive. */
  headers: 10_000,
  /** The whole of a request, to arrive. */
  request: 30_000,
  /** How often these two are checked. */
  check: 2_000,
  /** A request whose headers are there, until its answer is known. */
  answer: 45_000,
  /** An answer, to be taken by its client. */
  read: 30_000,
  /** A connection on which nothing moves during a request. */
  idle: 60_000,
  /** A connection between two requests: longer than load balancers keep it, so that they do not meet a closed one. */
  keepAlive: 75_000,
  /** Requests under way, when the server stops. */
  stop: 10_000,
  /** The demo's token, to be revoked when the server stops. */
  revoke: 1_000,
} as const

export type Patience = Readonly<Record<keyof typeof patience, number>>

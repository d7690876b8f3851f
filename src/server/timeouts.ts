import type { Config } from '../config.ts'

/** Timeouts in milliseconds that are not configured. */
export const timeouts = {
  /** The longest interval at which the headers and bodies of requests are checked. */
  check: 2_000,
  /** How much longer than a response a connection without traffic may take. */
  idle: 15_000,
  /** For a client whose connection is closed to close it too. */
  linger: 1_000,
  /** For requests in progress when the server stops. */
  stop: 10_000,
  /** To revoke the demo's token when the server stops. */
  revoke: 1_000,
} as const

/** The configured timeouts, in milliseconds. */
export type Timeouts = Config['timeouts']

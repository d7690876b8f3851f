/** What the connections of Rookery are called. */
export const applicationName = 'rookery'

/** How long a statement may run on a connection that serves, in milliseconds. */
const statementTimeout = 3_000

/** How long its answer may take, in milliseconds: longer, so that it is the database that ends it. */
const answerTimeout = 4_500

/** How long a transaction may do nothing, in milliseconds. */
const idleTransactionTimeout = 15_000

/** The limits of connections that serve requests. */
export const servingLimits = {
  statement_timeout: statementTimeout,
  idle_in_transaction_session_timeout: idleTransactionTimeout,
} as const

/** The same for commands and migrations, also where the database itself has limits. */
export const noLimits = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 } as const

/** The limits that the driver keeps itself. */
export const driverLimits = { query_timeout: answerTimeout } as const

/**
 * Settings of the connections that serve. Every read is a small page in the order of an index, found by key:
 * - times are those of UTC, which the adapter takes for granted;
 * - a statement is planned once for each connection, not again for its values, which costs more than running it;
 * - pages come from an index in its order, never from a bitmap that is then sorted;
 * - a random page costs little more than the next one, as on any disk of today;
 * - no statement runs for long enough to compile it.
 */
export const servingSettings = {
  TimeZone: 'UTC',
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  random_page_cost: '1.1',
  jit: 'off',
} as const

/** Settings as one script. They are not sent along when a connection opens, because connection poolers refuse most of them there. */
export function scriptOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')
}

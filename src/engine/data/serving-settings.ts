/**
 * The limits of request connections, in milliseconds. Writes stop waiting for a lock before the statement times out, so that others
 * of their batch are repeated in time.
 */
export const servingLimits = {
  statement_timeout: 3_000,
  lock_timeout: 1_000,
  idle_in_transaction_session_timeout: 15_000,
} as const

/** No limits, for commands and migrations, even if the database sets some. */
export const noLimits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 } as const

/** What results and rules depend on, with PostgreSQL's defaults, which a database, a role or a URL can change. */
export const fixedSettings = {
  array_nulls: 'on',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  extra_float_digits: '1',
  idle_session_timeout: '0',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
} as const

/**
 * Settings of request connections. Every read is a small page in the order of an index, found by key:
 * - times are in UTC, which the adapter assumes;
 * - rows that policies hide are an error instead of missing;
 * - a statement is planned once for each connection, because planning costs more than running it;
 * - pages use index scans instead of sorted bitmap scans;
 * - random page access costs little more than sequential access, as on modern disks;
 * - no statement runs long enough to benefit from JIT compilation or from parallel workers, for which the planner would sort whole tables.
 */
export const servingSettings = {
  TimeZone: 'UTC',
  row_security: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
} as const

/**
 * What every session needs of its database or role behind PgBouncer in transaction mode. Servers before PostgreSQL 17 lack the last
 * one.
 */
export const sharedSettings = {
  ...fixedSettings,
  ...servingSettings,
  ...servingLimits,
  transaction_timeout: 0,
} as const

/** Lifts the limit of transactions, which servers before PostgreSQL 17 do not have. */
export const liftTransactionLimit = `SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('transaction_timeout', true) IS NOT NULL`

/** The settings as one script. Connection poolers reject most of them as startup parameters. */
export function scriptOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')
}

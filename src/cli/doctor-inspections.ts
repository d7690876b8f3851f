import type pg from 'pg'
import { reservedConnections } from '../engine/data/pooled-backend.ts'
import { mailKinds } from '../features/mail/jobs.ts'
import type { Config } from '../server/config.ts'
import { type Check, check } from './check.ts'

/** A question to the database. Each row that it finds is a warning, with what to do about it. */
type Inspection = {
  readonly name: string
  /** What is said if nothing is found. */
  readonly fine: string
  readonly find: string
  readonly values?: (config: Config) => unknown[]
}

/** Of a server. */
export const ofServer: readonly Inspection[] = [
  {
    name: 'Connections',
    fine: 'The server accepts all that Rookery opens.',
    find: `
      SELECT format('Rookery opens up to %s connections, but the server accepts %s in total.', $1::int, accepted) AS message,
        'Lower DATABASE_POOL or WORKERS, or raise max_connections, or the limit of the user or the database.' AS advice
      FROM pg_roles, pg_database, least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) accepted
      WHERE rolname = session_user AND datname = current_database() AND accepted < $1`,
    // Each process has another one while it starts.
    values: ({ databasePool, workers }) => [workers * (databasePool + reservedConnections + 1)],
  },
  {
    name: 'Access',
    fine: 'Only roles with a GRANT can connect.',
    find: `
      SELECT format('Every role of the server can connect%s.', ': ' || string_agg(rolname, ', ' ORDER BY rolname)) AS message,
        format('GRANT CONNECT ON DATABASE %1$I TO %2$I; REVOKE CONNECT ON DATABASE %1$I FROM PUBLIC;', current_database(), current_user) AS advice
      FROM (
        SELECT rolname FROM pg_roles WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user ORDER BY rolname LIMIT 10) others
      HAVING has_database_privilege('public', current_database(), 'CONNECT')`,
  },
]

/** Of the tables, once they are there. */
export const ofTables: readonly Inspection[] = [
  {
    name: 'Jobs',
    fine: 'None has failed.',
    find: `
      SELECT 'Failing, to be retried: ' || string_agg(format('%s of %s: %s.', failing, kind, error), ' ' ORDER BY kind) AS message,
        'The log of the server has more.' AS advice
      FROM (SELECT kind, count(error) AS failing, max(error) AS error FROM jobs WHERE error IS NOT NULL GROUP BY kind) kinds
      HAVING count(*) > 0`,
  },
  {
    name: 'Waiting e-mails',
    fine: 'None lacks a mail server.',
    find: `
      SELECT format('%s wait for a mail server since %s.', count(*), to_char(min(due_at), 'YYYY-MM-DD')) AS message,
        'Set SMTP_URL, or start a process that has it.' AS advice
      FROM jobs WHERE $1 AND kind = ANY ($2) AND due_at < now() HAVING count(*) > 0`,
    values: ({ mail }) => [mail === undefined, mailKinds],
  },
]

/** Asks these questions. */
export async function inspect(
  client: pg.ClientBase,
  inspections: readonly Inspection[],
  config: Config,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const { name, fine, find, values } of inspections) {
    const { rows } = await client.query<{ message: string; advice: string }>(find, values?.(config) ?? [])
    checks.push(...rows.map(({ message, advice }) => check('warning', name, message, advice)))
    if (rows.length === 0) checks.push(check('ok', name, fine))
  }
  return checks
}

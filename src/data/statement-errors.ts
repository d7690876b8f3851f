import pg from 'pg'
import { isOutcomeUnknown, isUnavailable } from './unavailable.ts'

/** PostgreSQL codes for a failed serialization and a deadlock. */
const conflicts = new Set(['40001', '40P01'])

/** Whether a statement could not lock a row in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether a statement failed because of another one, so that it may succeed when repeated. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && conflicts.has(error.code ?? '')
}

/** Whether statements that failed together applied nothing, and some of them may succeed apart from the others. */
export function mayRunApart(error: unknown): boolean {
  if (hasUnknownState(error)) return false
  return isLockTimeout(error) || isConflict(error) || !isUnavailable(error)
}

/** Whether the connection of a statement that failed may still be running it, so that it must not be reused. */
export function hasUnknownState(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || isOutcomeUnknown(error)
}

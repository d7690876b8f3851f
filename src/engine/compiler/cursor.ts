import pg from 'pg'
import { Refusal } from '../errors.ts'

/** How many characters a cursor has. */
export const cursorLength = 22

/** The form of a cursor: the last character has only two bits. */
export const cursorFormat = /^[A-Za-z0-9_-]{21}[AQgw]$/

/** The opaque cursor of a key: its 16 bytes in base64url (RFC 4648, section 5). */
export function encodeCursor(key: string): string {
  return Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')
}

/** The key of a cursor in hexadecimal, or undefined for what `encodeCursor` never made. */
export function decodeCursor(cursor: string): string | undefined {
  return cursorFormat.test(cursor) ? Buffer.from(cursor, 'base64url').toString('hex') : undefined
}

/** Throws `CURSOR_EXPIRED` if a statement failed because a cursor names no stored change, or else the error. */
export function refuseExpired(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'P0002') throw error
  throw new Refusal(
    'CURSOR_EXPIRED',
    'Changes after this cursor may be lost. Read everything again, from a new cursor.',
  )
}

/** How many characters a cursor has. */
export const cursorLength = 22

const encoded = new RegExp(`^[A-Za-z0-9_-]{${cursorLength}}$`)

/** The opaque cursor of a key: its 16 bytes in base64url (RFC 4648, section 5). */
export function encodeCursor(key: string): string {
  return Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')
}

/** The key of a cursor in hexadecimal, or undefined for what `encodeCursor` never made. */
export function decodeCursor(cursor: string): string | undefined {
  if (!encoded.test(cursor)) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.toString('base64url') === cursor ? bytes.toString('hex') : undefined
}

import { createHash, randomBytes } from 'node:crypto'

/** A new bearer token: a prefix that secret scanners find, and 256 random bits in base64url. */
export function newToken(): string {
  return `rookery_${randomBytes(32).toString('base64url')}`
}

/** What is stored of a token: its SHA-256. The token has 256 bits of entropy, so nothing slower is needed. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest())
}

import { createHash, randomBytes } from 'node:crypto'

/** A new bearer token: a prefix that secret scanners recognize, and 256 random bits in base64url. */
export function newToken(): string {
  return `rookery_${randomBytes(32).toString('base64url')}`
}

/** The SHA-256 of a token, which is what is stored. The token has 256 bits of entropy, so no slower hash is needed. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest())
}

/** The text without bearer tokens, which a client may send where they do not belong. */
export function withoutTokens(text: string): string {
  return text.includes('rookery_') ? text.replaceAll(/rookery_[\w-]+/g, 'rookery_…') : text
}

import { createHash } from 'node:crypto'
import { inBrowser } from './browser.ts'

/** How a device code that was found by its user code is named, since its id is not stored: `#` and its hash in hexadecimal. */
const handle = /^#([0-9a-f]{64})$/

/** The SHA-256 of a text, for a column. */
const digest = (text: string) => Uint8Array.from(createHash('sha256').update(text).digest())

/**
 * The hash that a record is stored under. A handle counts only where `isTrusted`, since whoever reads the table knows it. A step is found by the browser
 * alone that has begun it.
 */
export function hashOf(kind: string, id: string, isTrusted = false): Uint8Array<ArrayBuffer> {
  const [, hex] = (isTrusted && handle.exec(id)) || []
  if (hex !== undefined) return Uint8Array.from(Buffer.from(hex, 'hex'))
  return digest(`${kind}:${kind === 'Interaction' ? inBrowser(id) : id}`)
}

/** The hash of what else finds a record. */
export const lookupOf = (kind: string, value: string): Uint8Array<ArrayBuffer> => digest(`${kind}.lookup:${value}`)

/** The handle of a device code. */
export const handleOf = (hash: Uint8Array): string => `#${Buffer.from(hash).toString('hex')}`

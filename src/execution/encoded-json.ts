import { Buffer } from 'node:buffer'
import type { NextTurn } from '../reads/reads.ts'
import { checkResponseSize } from '../reads/response-size.ts'

/** How much JSON is copied or encoded at once, in bytes or UTF-16 code units. It takes about a millisecond. */
export const encodedAtOnce = 262_144

/**
 * Joins texts and what is encoded already, as UTF-8, in as many turns of the event loop as it takes. Throws `VALIDATION_FAILED` when they
 * are too large for a response.
 */
export async function encodeInTurns(parts: readonly (string | Buffer)[], nextTurn: NextTurn): Promise<Buffer> {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  checkResponseSize(bytes)
  const encoded = Buffer.allocUnsafe(bytes)
  let at = 0
  let left = encodedAtOnce
  for (const part of parts) {
    for (const piece of typeof part === 'string' ? piecesOfText(part) : piecesOf(part)) {
      if (piece.length > left) {
        const turn = nextTurn()
        if (turn) await turn
        left = encodedAtOnce
      }
      left -= piece.length
      at += typeof piece === 'string' ? encoded.write(piece, at) : piece.copy(encoded, at)
    }
  }
  return encoded
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += encodedAtOnce) yield bytes.subarray(at, at + encodedAtOnce)
}

/** Divides a text into pieces, none of which ends within a surrogate pair. */
function* piecesOfText(text: string): Generator<string> {
  let at = 0
  while (at < text.length) {
    const end = at + encodedAtOnce
    const isWithinPair = end < text.length && isLowSurrogate(text.charCodeAt(end))
    const next = isWithinPair ? end - 1 : end
    yield text.slice(at, next)
    at = next
  }
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

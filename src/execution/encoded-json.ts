import { Buffer } from 'node:buffer'
import type { NextTurn } from '../reads/reads.ts'
import { ResponseSize } from '../reads/response-size.ts'

/** How much text is encoded at once, in UTF-16 code units. It takes about a millisecond. */
export const encodedAtOnce = 262_144

/**
 * Encodes texts as UTF-8, one after the other, in as many turns of the event loop as it takes. Throws `VALIDATION_FAILED` when they are too
 * large for a response.
 */
export async function encodeInTurns(texts: Iterable<string>, nextTurn: NextTurn): Promise<Buffer> {
  const size = new ResponseSize()
  const pieces: Buffer[] = []
  let left = 0
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      if (piece.length > left) {
        const turn = nextTurn()
        if (turn) await turn
        left = encodedAtOnce
      }
      left -= piece.length
      const bytes = Buffer.from(piece)
      size.add(bytes)
      pieces.push(bytes)
    }
  }
  return Buffer.concat(pieces)
}

/** Divides a text into pieces, none of which ends within a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
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

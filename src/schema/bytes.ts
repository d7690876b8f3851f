/** The most bytes of a code point in UTF-8. */
const bytesOfCodePoint = 4

/** The `bytes` of a text field with at most this many code points. */
export function textBytes(codePoints: number): number {
  return codePoints * bytesOfCodePoint + 2
}

/** The `bytes` of a text field with at most this many ASCII characters. */
export function asciiBytes(characters: number): number {
  return characters + 2
}

/** The `bytes` of the version of a row. */
export const versionBytes = asciiBytes(20)

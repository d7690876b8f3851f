/** Scripts without spaces between words, and Hangul, whose particles join the word: sets for regular expressions with the flag `v`. */
export const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')

const pictograph = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}]+)?`

/** An emoji by its structure (Unicode Technical Standard 51). `\p{RGI_Emoji}` takes twenty times as long. */
export const emoji = String.raw`\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3|${pictograph}(?:\u200d${pictograph})*`

/** The least and the greatest value of a number, or length of a text in Unicode code points. */
export type Bounds = { readonly min: number; readonly max: number }

/** What a text may be. Its checks, its errors, and what the APIs and the database say of it follow from this. */
export type TextForm = Bounds & {
  /** For OpenAPI, so it has no flags, and none of Unicode's properties, which the patterns of many languages lack. */
  readonly pattern: RegExp
  /** The format of JSON Schema. */
  readonly format?: 'uuid' | 'uri'
  /** The form in words, such as `1 to 50 characters`. */
  readonly words: string
  /** What is wrong with a text that was sent, such as `must not be blank`. */
  readonly fault?: (text: string) => string | undefined
}

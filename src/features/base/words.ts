import { emoji, unspaced } from '../../engine/text/text-form.ts'
import type { Entities } from './entities.ts'

const set = String.raw

/** Where emoji are cut out of a text. */
const atEmoji = new RegExp(`(${emoji})`, 'v')

/** How an emoji is drawn, and the tone of its skin. */
const variants = /[\ufe0f\p{Emoji_Modifier}]/gu

/** Accents and points of alphabets, the Arabic tatweel, and invisible characters but two that separate. */
const accents = new RegExp(
  set`[[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]\u0640\p{Default_Ignorable_Code_Point}]--[\u3099\u309a\u200b\u200c]]`,
  'gv',
)

/** Letters that Unicode does not decompose, as in the transform Latin-ASCII of CLDR, and the final sigma. */
const plain: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ŧ: 't', þ: 'th', ŋ: 'n', ĸ: 'k', ς: 'σ' },
  ...{ ƀ: 'b', ɓ: 'b', ƈ: 'c', ɖ: 'd', ɗ: 'd', ǝ: 'e', ə: 'e', ɛ: 'e', ƒ: 'f', ǥ: 'g', ɠ: 'g', ɣ: 'g', ɨ: 'i', ɩ: 'i' },
  ...{ ƙ: 'k', ƚ: 'l', ɲ: 'n', ɔ: 'o', ɵ: 'o', ƥ: 'p', ƭ: 't', ʉ: 'u', ʋ: 'v', ƴ: 'y', ƶ: 'z' },
}
const toPlain = new RegExp(`[${Object.keys(plain).join('')}]`, 'gu')

/** A text without the differences that search ignores: width and form (NFKC), case, and accents. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(accents, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(toPlain, (letter) => plain[letter] ?? letter)
    .normalize('NFKC')

/** Scripts that end a word where they change; all others count as one. */
const alphabets = ['Latin', 'Greek', 'Cyrillic', 'Hebrew', 'Arabic'].map((script) => set`\p{sc=${script}}`)
const letters = [
  ...alphabets.map((script) => set`[\p{L}&&${script}]`),
  set`[\p{L}--[${alphabets.join('')}${unspaced}]]`,
]

/** The characters of a token. What is longer continues as another one, because PostgreSQL limits them. */
const longest = 100
const more = `{0,${longest - 1}}`
const ofWord = letters.map((letter) => set`${letter}[${letter}\p{M}\p{N}]${more}`).join('|')
const digits = set`\p{N}[\p{N}\p{M}]${more}`

/** `C++` and `C#` are words, `a+b` and `a#b` two. */
const sign = set`(?<=\p{L})(?:\+\+|[+#](?![\p{L}\p{N}]))`
const word = new RegExp(
  set`[[\p{L}\p{N}]&&[${unspaced}]]\p{M}${more}|(?:(?:${digits})?(?:${ofWord})|${digits})(?:${sign})?`,
  'gv',
)

/**
 * The words of a text, as search compares them, in order: runs of letters, marks and digits of a script, characters of scripts without
 * spaces, and emoji. Everything else separates them.
 */
export function tokensIn(text: string): string[] {
  return text
    .split(atEmoji)
    .flatMap((part, index) => (index % 2 === 1 ? part.replace(variants, '') : (folded(part).match(word) ?? [])))
}

/** The `tsvector` of a text, in PostgreSQL's notation: its words with their places, and the hashtags that it has, with their sign. */
export function vectorOf(text: string, { hashtags = [] }: Partial<Entities> = {}): string {
  const words = tokensIn(text).map((token, index) => `'${token}':${index + 1}`)
  return [...words, ...hashtags.map(({ name }) => `'#${name}'`)].join(' ')
}

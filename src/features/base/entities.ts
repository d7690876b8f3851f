import { v5 } from 'uuid'
import type { TextForm } from '../../engine/text/text-form.ts'
import { emoji, unspaced } from '../../engine/text/text-form.ts'
import { usernameBounds } from './username.ts'

/** The most mentions and hashtags of a publication. More are text. */
export const maxMentions = 20
export const maxHashtags = 30

/** The most characters of the name of a hashtag, in code points. */
export const longestHashtag = 100

/** The form of the name of a hashtag in words. */
export const hashtagRule = `at most ${longestHashtag} letters, marks, digits and _, at least one of which is not a digit`

/** Where something is in a text, in code points, with its sign. */
type Range = { readonly start: number; readonly end: number }

/** The name of a hashtag in responses. */
export const hashtagForm: TextForm = { min: 1, max: longestHashtag, pattern: /^[^\s#]+$/, words: hashtagRule }

/** A hashtag. Its id follows from its name, so that it can be found without a lookup. */
type Hashtag = { readonly id: string; readonly name: string }

/** What a text names: usernames in lower case, which accounts may have, and hashtags. */
export type Entities = {
  readonly mentions: readonly (Range & { readonly username: string })[]
  readonly hashtags: readonly (Range & Hashtag)[]
}

const namespace = 'a3c1f0a4-5d0b-4a3e-9f6a-0c9b1d7e2f58'

/** Only inside of a hashtag: middle dots, and what joins letters in scripts such as Persian, Sinhala, Hebrew, Tibetan and Japanese. */
const joiner = '[\\u00b7\\u0387\\u05be\\u05f3\\u05f4\\u0f0b\\u0f0c\\u200c\\u200d\\u301c\\u30fb\\uff5e\\uff65]'
const ofWord = `(?!${joiner})\\p{XIDC}`
// The end of an emoji is no part of a word.
const ofEmoji = '[\\ufe00-\\ufe0f\\u20e3]'
const outsideWord = `(?<!(?!${ofEmoji})${ofWord})`
const outsideSpacedWord = `(?<!(?!${ofEmoji}|[${unspaced}])${ofWord})`

// Characters after the scheme or the host. Punctuation of other scripts ends a URL, except for the signs.
const ofUrl = '[\\p{L}\\p{M}\\p{N}!#-;=?-~＃＠]'
const scheme = '[A-Za-z][A-Za-z\\d+.-]*://'
const url = `(?<![A-Za-z\\d+.-])${scheme}${ofUrl}*|(?<![\\p{L}\\p{Nd}.-])(?:[\\p{L}\\p{Nd}-]+\\.)+\\p{L}{2,}/${ofUrl}*`
const ofAddress = "[A-Za-z\\d.!#$%&'*+/=?^_`{|}~-]"
const address = `(?<![A-Za-z\\d])[A-Za-z\\d]${ofAddress}*@[A-Za-z\\d-]+(?:\\.[A-Za-z\\d-]+)+`

const { min, max } = usernameBounds
// Languages that are written without spaces continue with letters of other scripts. A name with a domain is of another service.
const mention = `[@＠](?<username>[A-Za-z\\d_]{${min},${max}})(?![\\p{Script=Latin}\\p{M}\\p{Nd}\\p{Pc}@＠]|://|[a-z\\d-]*\\.[a-z\\d])`

// Emoji such as keycaps begin with what is a digit or a letter otherwise.
const ofHashtag = `(?!\\p{Emoji}(?:\\ufe0f|\\u20e3))${ofWord}`
const hashtag = `(?!\\p{M}|${scheme})(?:${ofHashtag})+(?:${joiner}+(?:${ofHashtag})+)*`

const entity = new RegExp(
  `${emoji}|${url}|${address}|${outsideSpacedWord}${mention}|(?<!&)${outsideWord}[#＃](?<hashtag>${hashtag})`,
  'gu',
)
const wholeHashtag = new RegExp(`^[#＃]?(?<name>${hashtag})$`, 'u')

/** Unicode's full case folding, which keeps the dotless i. */
const folded = (text: string) =>
  text.replace(/[^ı]/gu, (character) => character.toLowerCase().toUpperCase().toLowerCase())

/** A hashtag by its characters: equal ones differ only in case, and in what NFKC and invisible characters change. Undefined for a text. */
function hashtagOf(characters: string): Hashtag | undefined {
  const visible = characters
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('～', '〜')
    .normalize('NFKC')
  const name = folded(visible).normalize('NFKC').replace(/·$/, '')
  const isHashtag = /[^\p{Nd}]/u.test(name) && [...name].length <= longestHashtag
  return isHashtag ? { id: v5(name, namespace), name } : undefined
}

/** The hashtag in a text that names one with or without its sign. Undefined if there can be none. */
export function hashtagIn(text: string): Hashtag | undefined {
  const name = wholeHashtag.exec(text.trim())?.groups?.name
  return name === undefined ? undefined : hashtagOf(name)
}

/** What a text names, in its order; undefined for nothing. */
export function entitiesIn(content: string): Entities | undefined {
  if (!/[@#＠＃]/.test(content)) return undefined
  const mentions: Entities['mentions'][number][] = []
  const hashtags: Entities['hashtags'][number][] = []
  let [units, points] = [0, 0]
  for (const { 0: found, index, groups } of content.matchAll(entity)) {
    const start = points + [...content.slice(units, index)].length
    const end = start + [...found].length
    units = index + found.length
    points = end
    if (groups?.username) mentions.push({ start, end, username: groups.username.toLowerCase() })
    const tag = groups?.hashtag && hashtagOf(groups.hashtag)
    if (tag && hashtags.length < maxHashtags) hashtags.push({ start, end, ...tag })
  }
  return mentions.length + hashtags.length > 0 ? { mentions, hashtags } : undefined
}

import { describe, expect, test } from 'vitest'
import { entitiesIn, hashtagIn, longestHashtag, maxHashtags } from '../../../src/features/base/entities.ts'
import { leastTime } from '../../support/least-time.ts'

/** What a text names, as it is written there; a hashtag with its name if that differs. */
function named(text: string): string[] {
  const points = [...text]
  const { mentions = [], hashtags = [] } = entitiesIn(text) ?? {}
  const all = [
    ...mentions.map(({ start, end, username }) => ({ start, end, name: username })),
    ...hashtags.map(({ start, end, name }) => ({ start, end, name })),
  ]
  return all
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, name }) => {
      const [sign = '', ...written] = points.slice(start, end)
      return written.join('') === name ? sign + name : `${sign}${written.join('')} is ${name}`
    })
}

test.each<readonly [string, string, readonly string[]]>([
  ['alone', '@ada', ['@ada']],
  ['in upper case', '@Ada', ['@Ada is ada']],
  ['at an end of a sentence', 'Thanks, @ada. (@bob) "@cyd"! @dan’s', ['@ada', '@bob', '@cyd', '@dan']],
  ['after a full stop', '.@ada said', ['.@ada said'.slice(1, 5)]],
  ['twice', '@ada @ada', ['@ada', '@ada']],
  ['with digits and underscores', '@_1_', ['@_1_']],
  ['of 30 characters', `@${'a'.repeat(30)}`, [`@${'a'.repeat(30)}`]],
  ['not of 31 characters', `@${'a'.repeat(31)}`, []],
  ['not inside a word', 'ada@bob é@bob e\u0301@bob 5@bob _@bob', []],
  ['not before more of a word', '@adaé @ada\u0301', []],
  ['not of an account elsewhere', '@ada@example.org @ada@host @ada＠host', []],
  ['not in an e-mail address', 'ada@example.org a.b+c@example.org, x-@bob.example !a+@bob.example', []],
  ['not in an address of another script', '用户@example.org', []],
  ['not in a URL', 'https://example.org/@ada http://ada:x@bob:80/ www.example.org/@ada example.org/?u=@ada', []],
  ['after a URL', 'https://example.org @ada', ['@ada']],
  ['with a full-width sign', '＠ada', ['＠ada']],
  ['not of full-width letters', '@ａｄａ', []],
  ['between emoji', '😀@ada😀', ['@ada']],
  ['after an emoji of several characters', '👩‍👩‍👧@ada ❤️@bob 1️⃣@cyd', ['@ada', '@bob', '@cyd']],
  ['beside CJK punctuation', '你好，@ada！「@bob」、＠cyd。', ['@ada', '@bob', '＠cyd']],
  ['before letters of a language without spaces', '@adaさん @bob님', ['@ada', '@bob']],
  ['beside Arabic and Hebrew', 'مرحبا @ada، שלום @bob׃ \u200f@cyd\u200f', ['@ada', '@bob', '@cyd']],
  ['after letters of a language without spaces', 'こんにちは@ada 안녕@bob ที่@cyd', ['@ada', '@bob', '@cyd']],
  ['after other signs', '@ada/@bob via/@cyd @dan&@eve =@fay', ['@ada', '@bob', '@cyd', '@dan', '@eve', '@fay']],
  ['after a letter that is an emoji', 'ℹ️@ada', ['@ada']],
  ['not of a service elsewhere', '@ada.bsky.social @ada-b.org "john doe"@ada.org', []],
  ['before a sentence without a space', '@ada.See @bob. see @cyd...', ['@ada', '@bob', '@cyd']],
  ['not before a URL', '@http://example.org', []],
  ['not a face', '@_@', []],
  ['not without a name', '@ @. a @ b', []],
])('a mention: %s', (_what, text, expected) => {
  expect(named(text)).toEqual(expected)
})

test.each<readonly [string, string, readonly string[]]>([
  ['alone', '#rookery', ['#rookery']],
  ['in upper case', '#Rookery', ['#Rookery is rookery']],
  ['at an end of a sentence', 'See #a. (#b) "#c"!', ['#a', '#b', '#c']],
  ['twice', '#a #A', ['#a', '#A is a']],
  ['with a hyphen after it', '#a-b', ['#a']],
  ['with underscores and digits', '#_ #1a #a_1', ['#_', '#1a', '#a_1']],
  ['not of digits only', '#1 #12 #٣ #１', []],
  ['not inside a word', 'a#b 1#b é#b e\u0301#b', []],
  ['not in an entity of HTML', '&#39;', []],
  [
    'not in a URL',
    'https://example.org/#a http://x.example?q=#a example.org/#a https://example.org/＃a x.org/a=#a',
    [],
  ],
  ['not in an e-mail address', 'a#b@example.org a.#b@example.org', []],
  ['after a URL that CJK punctuation ends', 'https://example.org/a#b。#c', ['#c']],
  ['with a full-width sign and letters', '＃ｔａｇ', ['＃ｔａｇ is tag']],
  ['between emoji', '😀#a😀 #b❤️', ['#a', '#b']],
  ['not of emoji', '#😀 #❤️ #👩‍💻 #ℹ️', []],
  ['not of a keycap', '#️⃣ #1️⃣', []],
  ['before a keycap', '#a1️⃣', ['#a']],
  ['after an emoji of several characters', '👩‍👩‍👧#a ❤️#b 1️⃣#c', ['#a', '#b', '#c']],
  ['not with a joiner at its end', '#a\u200d #b\u200d😀 #c·', ['#a', '#b', '#c']],
  ['with joiners inside', '#می\u200cخواهم #ශ්\u200dරී', ['#می\u200cخواهم is میخواهم', '#ශ්\u200dරී is ශ්රී']],
  ['with middle dots inside', '#col·lecció #スター・ウォーズ', ['#col·lecció', '#スター・ウォーズ']],
  ['with combining marks', '#cafe\u0301 #हिन्दी', ['#cafe\u0301 is café', '#हिन्दी']],
  ['not before a combining mark', '#\u0301a', []],
  ['beside CJK punctuation', '「#東京」、#大阪。＃京都！', ['#東京', '#大阪', '＃京都']],
  ['in Arabic and Hebrew', 'אני #אוהב، \u200f#وسم\u200f abc', ['#אוהב', '#وسم']],
  ['after other signs', '#a/#b ]#c ’#d’#e', ['#a', '#b', '#c', '#d', '#e']],
  ['not after letters of a language without spaces', '日本語#東京', []],
  ['not before a URL', '#http://example.org', []],
  ['with Hebrew punctuation inside', '#צה״ל #עַל־יְדֵי #וכו׳ ״#אבג״', ['#צה״ל', '#עַל־יְדֵי', '#וכו', '#אבג']],
  ['with a wave dash inside', '#メ〜テレ #メ～テレ', ['#メ〜テレ', '#メ～テレ is メ〜テレ']],
  ['in Tibetan and Amharic', '#བོད་སྐད #ኢትዮሙስሊምስ', ['#བོད་སྐད', '#ኢትዮሙስሊምስ']],
  ['in scripts of India', '#বাংলা #ગુજરાતી #മലയാളം #ਪੰਜਾਬੀ #தமிழ்', ['#বাংলা', '#ગુજરાતી', '#മലയാളം', '#ਪੰਜਾਬੀ', '#தமிழ்']],
  ['not without a name', '# #. a # b', []],
])('a hashtag: %s', (_what, text, expected) => {
  expect(named(text)).toEqual(expected)
})

test('ranges count code points, with the sign', () => {
  expect(entitiesIn('😀 @ada 👩‍💻 ＃Cafe\u0301')).toMatchObject({
    mentions: [{ start: 2, end: 6, username: 'ada' }],
    hashtags: [{ start: 11, end: 17, name: 'café' }],
  })
})

describe('a hashtag', () => {
  test.each([
    ['case', '#Straße', 'STRASSE', 'STRAẞE', 'strasse'],
    ['final sigma', 'ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['width', 'ｔａｇ', 'TAG'],
    ['composition', 'café', 'CAFE\u0301'],
    ['ligatures', 'ﬁn', 'fin'],
    ['half-width kana', 'ｶﾞ', 'ガ'],
    ['spaces around it', ' #x ', 'x'],
    ['invisible characters', 'می\u200cخواهم', 'میخواهم'],
  ])('is the same whatever its %s', (_what, ...names) => {
    expect(new Set(names.map((name) => hashtagIn(name)?.id)).size).toBe(1)
  })

  test.each([
    ['the dotless i', 'ısı', 'isi'],
    ['accents', 'resume', 'résumé'],
    ['kana', 'ハ', 'バ'],
  ])('differs by %s', (_what, one, other) => {
    expect(hashtagIn(one)?.id).not.toBe(hashtagIn(other)?.id)
  })

  test('has the same name and id as its name, for every character that changes', () => {
    const written = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point))
      .filter((character) => character.isWellFormed() && character.normalize('NFKC').toLowerCase() !== character)
      .map((character) => `a${character}`)
    const changed = written.filter((text) => {
      const hashtag = hashtagIn(text)
      return hashtag && hashtagIn(hashtag.name)?.id !== hashtag.id
    })
    expect(changed).toEqual([])
  })

  test('has at most 100 characters, after folding', () => {
    expect(hashtagIn('😀')).toBeUndefined()
    expect(hashtagIn('𐐀'.repeat(longestHashtag))?.name).toBe('𐐨'.repeat(longestHashtag))
    expect(hashtagIn('a'.repeat(longestHashtag + 1))).toBeUndefined()
    expect(hashtagIn('ß'.repeat(longestHashtag))).toBeUndefined()
    expect(entitiesIn(`#${'a'.repeat(longestHashtag + 1)} #b`)?.hashtags).toMatchObject([{ name: 'b' }])
  })

  test.each(['', '#', 'a b', 'a-b', '12', '@ada', 'a#b', '##a', '<a>'])('is not named by %o', (text) => {
    expect(hashtagIn(text)).toBeUndefined()
  })
})

test(`after ${maxHashtags} hashtags, more are text`, () => {
  const text = Array.from({ length: maxHashtags + 5 }, (_, index) => `#t${index}`).join(' ')
  expect(entitiesIn(text)?.hashtags.map(({ name }) => name)).toEqual(
    Array.from({ length: maxHashtags }, (_, index) => `t${index}`),
  )
})

test('a text that names nothing has no entities', () => {
  expect(entitiesIn('Hello')).toBeUndefined()
  expect(entitiesIn('C# and a@b.example')).toBeUndefined()
})

test.each(['a.', '@', '#', 'a-', '#1\u{fe0f}', '\u{fe0f}', 'a·', '@a', 'http://', '@a-', '😀', '👩‍', 'ﷺ'])(
  'the worst texts of %o are searched in a few milliseconds',
  (part) => {
    const text = `${part.repeat(500).slice(0, 499)}#`
    expect(leastTime(() => entitiesIn(text))).toBeLessThan(10)
  },
)

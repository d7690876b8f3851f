import { expect, test } from 'vitest'
import { searchIn } from '../../../src/features/search/query.ts'
import { leastTime } from '../../support/least-time.ts'

test.each<readonly [string, string, string]>([
  ['words', 'Rook Café', "'rook' & 'cafe'"],
  ['a word of several', 'covid-19', "('covid' <-> '19')"],
  ['a script without spaces', '東京 한국', "('東' <-> '京') & ('한' <-> '국')"],
  ['a phrase', '"mechanical engineer" x', "('mechanical' <-> 'engineer') & 'x'"],
  ['a phrase of one word', '"東京"', "('東' <-> '京')"],
  [
    'typographic quotes',
    '“a b” „c d“ «e f» »g h« 「i j」',
    "('a' <-> 'b') & ('c' <-> 'd') & ('e' <-> 'f') & ('g' <-> 'h') & ('i' <-> 'j')",
  ],
  ['an exclusion', 'tea -milk', "'tea' & !'milk'"],
  [
    'exclusions of phrases',
    'tea -"cold milk" -"東京" -foo.png',
    "'tea' & !('cold' <-> 'milk') & !('東' <-> '京') & !('foo' <-> 'png')",
  ],
  ['a dash between spaces', 'Berlin - Hamburg -- Kiel', "'berlin' & 'hamburg' & 'kiel'"],
  ['or', 'a b OR c OR "d e" f', "'a' & (('b' | 'c') | ('d' <-> 'e')) & 'f'"],
  ['an exclusion or a word', '-a OR b', "(!'a' | 'b')"],
  ['or without anything beside it', 'OR or a OR', "'or' & 'or' & 'a'"],
  ['or beside nothing', 'a OR , b', "'a' & 'b'"],
  ['hashtags and mentions', '#Tag ＠Ada -#other (#x)', "'#tag' & '@ada' & !'#other' & '#x'"],
  ['several without spaces', '@ada/#b', "('@ada' & '#b')"],
  ['what stands around a mention', '東@ada京都', "('@ada' & '東' & ('京' <-> '都'))"],
  ['an e-mail address', 'ada@example.org', "('ada' <-> 'example' <-> 'org')"],
  ['a quote inside a word', 'צה"ל', "('צה' <-> 'ל')"],
  ['a quote that is not closed', '"open ended', "'open' & 'ended'"],
  ['emoji and names of languages', '👍🏽 C++', "'👍' & 'c++'"],
  [
    'unknown conditions',
    'from: from:é since:soon until:2026-13-01 x:y',
    "'from' & ('from' <-> 'e') & ('since' <-> 'soon') & ('until' <-> '2026' <-> '13' <-> '01') & ('x' <-> 'y')",
  ],
  ['an excluded condition', '-from:ada', "!('from' <-> 'ada')"],
  ['nothing', '"" - , -( " \' \\ :* &', ''],
])('a query has %s', (_what, text, query) => {
  expect(searchIn(text).query ?? '').toBe(query)
})

test('conditions stand beside the words', () => {
  expect(searchIn('From:@Ada tea since:2026-11-01 until:2026-11-30 from:bob @cyd -@dan')).toMatchObject({
    from: ['ada', 'bob'],
    since: new Date('2026-11-01T00:00:00Z'),
    until: new Date('2026-11-30T00:00:00Z'),
    mentioned: ['cyd', 'dan'],
    query: "'tea' & '@cyd' & !'@dan'",
  })
})

test.each<readonly [string, readonly string[]]>([
  ['"a b" c c', ["'a'", "'b'", "'c'"]],
  ['a -b -"c d"', ["'a'"]],
  ['-a', []],
  ['a OR "b c" d', ["('a' | ('b' & 'c'))", "'d'"]],
  ['a OR -b', []],
  ['@ada #x', ["'@ada'", "'#x'"]],
])('an index finds %s by words without places', (text, near) => {
  expect(searchIn(text).near).toEqual(near)
})

test.each(['"', '“a', '-"', 'a OR ', '@a', '#a ', 'from:a ', '"a" ', '東', ':', '-'])(
  'the worst texts of %o are parsed in a few milliseconds',
  (part) => {
    const text = part.repeat(Math.floor(500 / part.length))
    expect(leastTime(() => searchIn(text))).toBeLessThan(10)
  },
)

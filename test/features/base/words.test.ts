import { expect, test } from 'vitest'
import { tokensIn } from '../../../src/features/base/words.ts'
import { leastTime } from '../../support/least-time.ts'

test.each<readonly [string, string, string]>([
  ['case and accents', 'Le CAFÉ cafe\u0301', 'le cafe cafe'],
  ['full case folding', 'Hauptstraße ΑΝΘΡΩΠΟΣ άνθρωπος İstanbul ısı', 'hauptstrasse ανθρωποσ ανθρωποσ istanbul isi'],
  ['letters without a decomposition', 'đ Łódź søn ħ œuvre ærø þing', 'd lodz son h oeuvre aero thing'],
  ['width and ligatures', 'ｗｉｄｅ ﬁn ｶﾞ x²', 'wide fin ガ x2'],
  ['numbers after a sign', 'covid-19 GPT-4 2026-11-01 3.14', 'covid 19 gpt 4 2026 11 01 3 14'],
  ['numbers in words', 'mp3 5kg 5кг ipv6', 'mp3 5kg 5кг ipv6'],
  ['brackets', '<details> List<String> a[0]', 'details list string a 0'],
  ['full stops, apostrophes and underscores', "foo.png Mr.Smith can't snake_case", 'foo png mr smith can t snake case'],
  ['an address', 'https://www.example.org/a?b=c', 'https www example org a b c'],
  ['names of languages', 'C++ C# C++17 notepad++', 'c++ c# c++ 17 notepad++'],
  ['signs between letters', 'a+b a#b 1+1 + #', 'a b a b 1 1'],
  ['emoji', '👍👍🏽 ❤❤️ 🇩🇪🇫🇷 1️⃣ 👩‍👩‍👧 ℹ️', '👍 👍 ❤ ❤ 🇩🇪 🇫🇷 1⃣ 👩‍👩‍👧 ℹ'],
  ['a switch of script', 'APIは هالAPI приветhello', 'api は هال api привет hello'],
  ['Han, also beyond the BMP', '明日は東京都𠮷𠮾、〇', '明 日 は 東 京 都 𠮷 𠮾 〇'],
  ['Kana', 'スター・ウォーズ がくせい', 'ス タ ー ウ ォ ー ズ が く せ い'],
  ['Hangul', '한국은 가', '한 국 은 가'],
  ['Thai, Lao, Khmer and Burmese', 'สวัสดี ລາວ ខ្មែរ မြန်', 'ส วั ส ดี ລ າ ວ ខ្ មែ រ မြ န်'],
  ['Hebrew', 'שָׁלוֹם צה״ל עַל־יְדֵי', 'שלום צה ל על ידי'],
  ['Arabic', 'مُحَمَّد ســـلام أحمد', 'محمد سلام احمد'],
  ['joiners', 'می\u200cخواهم ශ්\u200dරී so\u00adft', 'می خواهم ශ්රී soft'],
  ['Devanagari and Tamil', 'हिन्दी में தமிழ்', 'हिन्दी में தமிழ்'],
  ['Cyrillic and Greek', 'Ёлка, жёлтая; ΐ', 'елка желтая ι'],
  ['nothing', ' -"…"—_\u0301 ', ''],
])('the words of a text: %s', (_what, text, expected) => {
  expect(tokensIn(text).join(' ')).toBe(expected)
})

test('a long word continues as another one', () => {
  expect(tokensIn('x'.repeat(150)).map(({ length }) => length)).toEqual([100, 50])
})

test.each(['a', '1', '東', '😀', '👩\u200d', '1\ufe0f', '🇩', 'é', '\u0316\u0301', 'ก็', '+#', 'a+', '1а'])(
  'the worst texts of %o are split in a few milliseconds',
  (part) => {
    const text = part.repeat(Math.floor(500 / part.length))
    expect(leastTime(() => tokensIn(text))).toBeLessThan(10)
  },
)

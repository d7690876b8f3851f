import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../../src/engine/data/database.ts'
import { tokensIn, vectorOf } from '../../../src/features/base/words.ts'
import { searchIn } from '../../../src/features/search/query.ts'
import { openTestDatabase } from '../../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const letters = [
  ...['a', 'é', 'ß', 'ł', 'K', 'Σ', 'ς', 'ж', 'Ё', 'ש', 'ל', '״', 'م', 'أ', 'हि', 'न्', 'த', 'สั', 'ว', 'ລ', 'ខ្', 'မြ'],
  ...[
    '東',
    '京',
    '𠮷',
    'カ',
    'ﾞ',
    'が',
    '한',
    '은',
    '1',
    '٣',
    '½',
    '👍',
    '👍🏽',
    '❤️',
    '🇩🇪',
    '👩\u200d💻',
    'ﬁ',
    'ｱ',
    'C++',
    'C#',
  ],
]
const separators = [
  ' ',
  ' ',
  '-',
  '.',
  '/',
  '_',
  "'",
  '’',
  '"',
  '“',
  '<',
  '>',
  '(',
  ', ',
  '\n',
  ' - ',
  '@',
  '#',
  '\u200c',
  '\u0301',
]
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...letters) }, fc.constantFrom(...separators)), {
    minLength: 1,
    maxLength: 30,
  })
  .map((parts) => parts.join(''))

const hits = z.array(z.object({ isHit: z.boolean() }))

/** Whether texts match what is searched for, by the database. */
async function matches(pairs: readonly (readonly [text: string, sought: string])[]): Promise<boolean[]> {
  const rows = pairs.map(([content, sought]) => ({ vector: vectorOf(content), query: searchIn(sought).query ?? '' }))
  const found = await database.write.prisma.$queryRaw`
    select vector::tsvector @@ query::tsquery as "isHit"
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (vector text, query text)) with ordinality order by ordinality`
  return hits.parse(found).map(({ isHit }) => isHit)
}

test('texts match their words, each run of them, and nothing else, and an exclusion is the complement', async () => {
  const texts = fc.sample(text, 2_000).filter((it) => tokensIn(it).length > 0)
  const cases = texts.flatMap((content, index) => {
    const tokens = tokensIn(content)
    const start = index % tokens.length
    const run = tokens.slice(start, start + 1 + (index % 5)).join(' ')
    const other = texts[(index + 1) % texts.length] ?? ''
    const hasOther = ` ${tokens.join(' ')} `.includes(` ${tokensIn(other).join(' ')} `)
    const quoted = other.replace(/["“]/g, ' ')
    return [
      { content, sought: tokens[start] ?? '', isHit: true },
      { content, sought: `"${run}"`, isHit: true },
      { content, sought: `-"${run}"`, isHit: false },
      { content, sought: `"${quoted}"`, isHit: hasOther },
      { content, sought: `-"${quoted}"`, isHit: !hasOther },
      { content, sought: `"${content.replace(/["“]/g, ' ')}"`, isHit: true },
    ]
  })
  const found = await matches(cases.map(({ content, sought }) => [content, sought]))
  expect(cases.filter(({ isHit }, index) => isHit !== found[index])).toEqual([])
})

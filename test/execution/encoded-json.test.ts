import { expect, test } from 'vitest'
import { encodedAtOnce, encodeInTurns } from '../../src/execution/encoded-json.ts'

test.each([-2, -1, 0, 1])(
  'a pair of surrogates %i units from the end of a piece is encoded as one character',
  async (distance) => {
    const text = `${'x'.repeat(encodedAtOnce + distance)}😀${'ж'.repeat(encodedAtOnce)}😀`
    let turns = 0
    const bytes = await encodeInTurns(['{"', text, '"}'], () => {
      turns += 1
      return undefined
    })
    expect(String(bytes)).toBe(`{"${text}"}`)
    expect(turns).toBe(3)
  },
)

test('a result that is encoded already is copied in pieces', async () => {
  const result = Buffer.from('ж'.repeat(encodedAtOnce))
  let turns = 0
  const bytes = await encodeInTurns(['{"text":"', result, '"}'], () => {
    turns += 1
    return undefined
  })
  expect(String(bytes)).toBe(`{"text":"${result}"}`)
  expect(turns).toBe(3)
})

import { expect, test } from 'vitest'
import { encodeInTurns } from '../../src/execution/encoded-json.ts'
import { handledAtOnce } from '../../src/reads/response-size.ts'

test.each([-2, -1, 0, 1])(
  'a pair of surrogates %i units from the end of a piece is encoded as one character',
  async (distance) => {
    const text = `${'x'.repeat(handledAtOnce + distance)}😀${'ж'.repeat(handledAtOnce)}😀`
    let turns = 0
    const bytes = await encodeInTurns(['{"', text, '"}'], () => {
      turns += 1
      return undefined
    })
    expect(String(bytes)).toBe(`{"${text}"}`)
    expect(turns).toBeGreaterThan(4)
  },
)

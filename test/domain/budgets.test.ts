import { expect, test } from 'vitest'
import { memoryLimiters } from '../../src/data/limiters/memory-limiter.ts'
import { Budgets } from '../../src/domain/budgets.ts'

test('points that a request asks for in vain stay available to other requests', async () => {
  const budgets = new Budgets({ points: 10_000, seconds: 3_600 }, memoryLimiters)
  await budgets.of('ada').charge(9_000)
  const tooMuch = Array.from({ length: 3 }, () => budgets.of('ada').charge(5_000))
  const others = [1, 2, 3].map(() => budgets.of('ada').charge(100))
  for (const refused of tooMuch) await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await Promise.all(others)
  expect(budgets.usedUp('ada')).toBeUndefined()
  expect((await budgets.of('ada').balance()).remaining).toBe(700)
})

test('what has been done takes all points that are left, if it takes more', async () => {
  const budgets = new Budgets({ points: 10_000, seconds: 3_600 }, memoryLimiters)
  await budgets.of('ada').charge(9_500)
  await budgets.of('ada').spend(1_000)
  expect((await budgets.of('ada').balance()).remaining).toBe(0)
})

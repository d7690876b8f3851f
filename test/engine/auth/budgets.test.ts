import { expect, test } from 'vitest'
import { Budget, Budgets } from '../../../src/engine/auth/budgets.ts'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'

/** The budget of one account, for one request after the other. */
function budgetOfAda(): () => Budget {
  const budgets = new Budgets({ points: 10_000, seconds: 3_600 }, memoryLimiters)
  return () => new Budget(budgets, 'ada')
}

test('points that a request asks for in vain stay available to other requests', async () => {
  const budget = budgetOfAda()
  await budget().charge(9_000)
  for (const _nth of [1, 2, 3]) {
    await expect(async () => budget().charge(5_000)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await budget().charge(100)
  }
  budget().requirePoints()
  expect(await budget().balance()).toMatchObject({ remaining: 700 })
})

test('what has been done takes all points that are left, if it takes more', async () => {
  const budget = budgetOfAda()
  await budget().charge(9_500)
  await budget().spend(1_000)
  expect(await budget().balance()).toMatchObject({ remaining: 0 })
})

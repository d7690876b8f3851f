import { expect, test } from 'vitest'
import { newId } from '../../../src/engine/data/ids.ts'
import { redisLimiters } from '../../../src/engine/data/limiters.ts'
import { AccountLimits } from '../../../src/features/limits/limits.ts'
import { keepLog } from '../../support/database/statements.ts'

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const most = { publications: 5, follows: 5, mentions: 5, reports: 5, likes: 5 }

test('processes share the limits of an account through Redis, and what is given back', async () => {
  const { log } = keepLog()
  const account = { id: newId(), joinedAt: new Date(0) }
  const processes = await Promise.all([redisLimiters(url, log), redisLimiters(url, log)])
  const limits = processes.map((limiters) => new AccountLimits(most, limiters).for(account))
  const taken = await Promise.all(
    Array.from({ length: 12 }, (_, index) => limits[index % 2]?.take('likes', 1) ?? Promise.reject(new Error('none'))),
  )
  const accepted = taken.filter(({ refusal }) => !refusal)
  expect(accepted).toHaveLength(most.likes)
  await accepted[0]?.refund()
  expect((await limits[1]?.take('likes', 1))?.refusal).toBeUndefined()
  expect((await limits[0]?.take('likes', 1))?.refusal).toMatchObject({
    code: 'RATE_LIMITED',
    details: { limit: 'likes' },
  })
  const used = await Promise.all(limits.map((each) => each.read()))
  expect(used.map((all) => all.map((each) => each.used))).toEqual([
    [0, 0, 0, 0, most.likes],
    [0, 0, 0, 0, most.likes],
  ])
  for (const { close } of processes) close()
})

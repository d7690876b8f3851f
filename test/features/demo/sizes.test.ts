import { expect, test } from 'vitest'
import { checkSize, completeSize, demoNetwork } from '../../../src/features/demo/seed-options.ts'

test('the numbers that are not given are in proportion to the demo network', () => {
  expect(completeSize({})).toEqual(demoNetwork)
  expect(completeSize({ users: 500 })).toMatchObject({ users: 500, posts: 10_000, likes: 30_000, follows: 6_000 })
  expect(completeSize({ posts: 200 })).toMatchObject({ users: 10, posts: 200, likes: 600 })
  expect(completeSize({ users: 500, follows: 7 })).toMatchObject({ posts: 10_000, follows: 7 })
})

test('any numbers of users and posts are enough', () => {
  for (const users of [1, 2, 5, 50, 5_000_000])
    for (const posts of [0, 1, 10, 5_000_000])
      for (const size of [{ users }, { posts }, { users, posts }])
        expect(() => checkSize(completeSize(size))).not.toThrow()
})

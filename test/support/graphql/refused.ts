import { expect } from 'vitest'
import type { GraphQLErrorJson, Person, TestApp } from '../app.ts'

/** The errors of a request that is refused as a whole, while a concurrent request succeeds. */
export async function refused(
  app: TestApp,
  { token, username }: Person,
  source: string,
  variables = {},
): Promise<readonly GraphQLErrorJson[]> {
  const [answer, other] = await Promise.all([
    app.graphql(token, source, variables),
    app.graphql(token, '{ viewer { username } }'),
  ])
  expect(other).toMatchObject({ status: 200, data: { viewer: { username } } })
  expect(answer.data).toBeUndefined()
  expect(answer.errors.length).toBeGreaterThan(0)
  return answer.errors
}

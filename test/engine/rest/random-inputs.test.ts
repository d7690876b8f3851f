import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { ids, settle } from '../../support/networks/small-network.ts'
import { sample } from '../../support/sample.ts'
import { places, type RandomRequest, randomRequests } from '../../support/schema/random-inputs.ts'

/** The seed, which `SEED` in the environment can set. A failure prints it. */
const seed = Number(process.env.SEED ?? 42)
const ada = { id: ids.ada, username: 'Ada', token: '' }
const malformed = [400, 413, 415, 422]

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Whether a response agrees with the document. */
function expectedStatuses({ isPath, isWithin }: RandomRequest): unknown {
  if (!isPath) return 404
  return isWithin ? expect.toSatisfy((status: number) => !malformed.includes(status)) : 422
}

// Random passwords, tokens, URIs and hosts are wrong, and the first test of an account would sign it out.
const unguessable =
  /^(?:(?:POST|DELETE) \/user|.* \/(?:session|second-factor|password|email|token|application|moderation\/application).*)$/
const guessable = places.filter(({ method, template }) => !unguessable.test(`${method} ${template}`))

// `call` rejects undocumented responses, so no failure of the server goes unnoticed.
describe.each(sample(guessable, 12))('$method $template', (place) => {
  const { method, operation } = place
  const requests = randomRequests(place)
  let token: string
  beforeAll(async () => {
    await settle(app.database)
    token = await app.token(ada, scopes)
  })

  test('accepts inputs within the documented limits and refuses others', async () => {
    const met = new Set<string>()
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { status } = await app.rest(token, method, request.path, request.body)
        expect(status).toEqual(expectedStatuses(request))
        expect(status).toBeLessThan(500)
        met.add(`${request.isPath} ${request.isWithin}`)
      }),
      { seed, numRuns: 30 },
    )
    expect(met).toContain('true true')
    // Without a body, a write has 422 only for its key or its user.
    const bounded =
      operation.requestBody !== undefined || (method === 'GET' && operation.responses['422'] !== undefined)
    if (bounded) expect(met).toContain('true false')
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LargeSize, RunQuery } from '../../src/schema/context.ts'
import { LargeResponses, rememberedFor, waitingForLargeTurn } from '../../src/server/turns/large-responses.ts'

type Details = { readonly address?: string; readonly size?: LargeSize; readonly signal?: AbortSignal }

/** A query that returns when it is told to. Until then, its response may turn out to be large. */
class Query {
  readonly result: Promise<unknown>
  isRunning = false
  isDone = false
  #isLarge = false
  #limit: Parameters<RunQuery<void>>[0] = { mayExceed: () => true, noteSmall: () => undefined }
  #end: () => void = () => undefined

  constructor(responses: LargeResponses, account: string, { address = 'home', size = 'large', signal }: Details) {
    const run: RunQuery<void> = (limit) => {
      this.isRunning = true
      this.#limit = limit
      this.#isLarge = false
      return new Promise<void>((resolve) => {
        this.#end = resolve
      }).finally(() => {
        this.isRunning = false
      })
    }
    this.result = responses.run({ account, address, signal }, size, run).finally(() => {
      this.isDone = true
    })
    // A test that expects a failure awaits the result.
    this.result.catch(() => undefined)
  }

  /** Tells that more than a small response arrives. The query ends if it may not receive it. */
  async becomeLarge(): Promise<void> {
    this.#isLarge = true
    if (!this.#limit.mayExceed()) await this.fail()
  }

  /** Ends with a small response, unless it has become large. */
  async end(): Promise<void> {
    if (!this.#isLarge) this.#limit.noteSmall()
    await this.fail()
  }

  /** Ends without a response. */
  async fail(): Promise<void> {
    this.#end()
    await settled()
  }
}

const settled = () => new Promise(setImmediate)

const running = (queries: readonly Query[]) => queries.filter(({ isRunning }) => isRunning).length

/** Sends queries of these accounts, and resolves when those that may run have begun. */
async function send(responses: LargeResponses, accounts: readonly string[], details: Details = {}): Promise<Query[]> {
  const queries = accounts.map((account) => new Query(responses, account, details))
  await settled()
  return queries
}

/** Sends a query of an account, which must run at once. */
async function sendOne(responses: LargeResponses, account: string, details: Details = {}): Promise<Query> {
  const query = new Query(responses, account, details)
  await settled()
  expect(query.isRunning).toBe(true)
  return query
}

/** The turns after each of these accounts has received a small response. */
async function afterSmallResponses(...accounts: readonly string[]): Promise<LargeResponses> {
  const responses = new LargeResponses()
  for (const account of accounts) await (await sendOne(responses, account)).end()
  return responses
}

const crowd = Array.from({ length: 24 }, (_, index) => `account ${index}`)

test('queries of accounts that have received no response yet run one by one', async () => {
  const [first, second, third] = await send(new LargeResponses(), ['ada', 'grace', 'joan'])
  expect([first?.isRunning, second?.isRunning, third?.isRunning]).toEqual([true, false, false])
  await first?.end()
  expect([second?.isRunning, third?.isRunning]).toEqual([true, false])
})

test('the address that was served least comes first, however many accounts another has', async () => {
  const responses = new LargeResponses()
  const attacking = await send(responses, crowd, { address: 'a' })
  const [other] = await send(responses, ['grace'], { address: 'b' })
  await attacking[0]?.end()
  expect([other?.isRunning, running(attacking)]).toEqual([true, 0])
})

test('accounts of one address take turns', async () => {
  const responses = new LargeResponses()
  const many = await send(responses, Array(8).fill('ada'))
  const [other] = await send(responses, ['grace'])
  await many[0]?.end()
  expect([other?.isRunning, running(many)]).toEqual([true, 0])
})

test('queries of an account that has received only errors run one by one', async () => {
  const responses = new LargeResponses()
  await (await sendOne(responses, 'ada')).fail()
  expect(running(await send(responses, ['ada', 'ada']))).toBe(1)
})

test('an account whose last response was small does not wait for others', async () => {
  const responses = await afterSmallResponses('grace')
  await send(responses, crowd)
  await sendOne(responses, 'grace')
})

test('one address leaves a place to others, even if the last responses of all its accounts were small', async () => {
  const responses = await afterSmallResponses(...crowd, 'grace')
  const attacking = await send(responses, crowd, { address: 'a' })
  expect(running(attacking)).toBe(3)
  await sendOne(responses, 'grace', { address: 'b' })
  await attacking[0]?.end()
  expect(running(attacking)).toBe(2)
})

test('one account leaves places to others of its address', async () => {
  const responses = await afterSmallResponses('ada', 'grace')
  const many = await send(responses, Array(200).fill('ada'))
  const others = await send(responses, ['grace'])
  await many[0]?.end()
  expect(running(others)).toBe(1)
})

test('a query that turns out large takes the turn if no other has it', async () => {
  const responses = await afterSmallResponses('ada')
  const query = await sendOne(responses, 'ada')
  await query.becomeLarge()
  expect(query.isRunning).toBe(true)
  const [next] = await send(responses, ['grace'])
  expect(next?.isRunning).toBe(false)
  await query.end()
  expect([query.isDone, next?.isRunning]).toEqual([true, true])
})

test('a query that turns out large while another has the turn runs again when its turn comes', async () => {
  const responses = await afterSmallResponses('ada')
  const holder = await sendOne(responses, 'grace')
  const query = await sendOne(responses, 'ada')
  await query.becomeLarge()
  expect([query.isRunning, query.isDone]).toEqual([false, false])
  await holder.end()
  expect(query.isRunning).toBe(true)
  await query.becomeLarge()
  await query.end()
  expect(query.isDone).toBe(true)
})

test('responses of medium size have turns of their own', async () => {
  const responses = await afterSmallResponses('ada')
  await sendOne(responses, 'grace')
  const query = await sendOne(responses, 'ada', { size: 'medium' })
  await query.becomeLarge()
  expect(query.isRunning).toBe(true)
  const others = await send(responses, ['joan', 'joan', 'mary', 'mary'], { size: 'medium', address: 'b' })
  expect(running(others)).toBe(2)
})

test('what turns out to be of medium size counts for its address', async () => {
  const responses = await afterSmallResponses(...crowd)
  await send(responses, ['grace'], { size: 'medium', address: 'b' })
  const queries = await send(responses, crowd.slice(0, 3), { size: 'medium' })
  expect(running(queries)).toBe(3)
  for (const query of queries) await query.becomeLarge()
  expect(running(queries)).toBe(2)
})

test('after a large response, the queries of an account wait for turns, also those that waited for a place', async () => {
  const responses = await afterSmallResponses('ada', 'grace')
  const queries = await send(responses, Array(8).fill('ada'))
  expect(running(queries)).toBe(3)
  await queries[0]?.becomeLarge()
  for (const query of queries.slice(0, 3)) await query.end()
  expect(running(queries)).toBe(1)
  await sendOne(responses, 'grace')
})

test('a small response soon after a large one does not end this', async () => {
  const responses = await afterSmallResponses('ada')
  const [large, small] = await send(responses, ['ada', 'ada'])
  await large?.becomeLarge()
  await large?.end()
  await small?.end()
  expect(running(await send(responses, ['ada', 'ada']))).toBe(1)
})

describe('as time passes', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    // The cache takes what is noted at zero for timeless.
    vi.advanceTimersByTime(1)
  })
  afterEach(() => void vi.useRealTimers())

  /** How many of two queries run at once. Ends both, with small responses. */
  async function runningOfTwo(responses: LargeResponses): Promise<number> {
    const queries = await send(responses, ['ada', 'ada'])
    const count = running(queries)
    for (const query of queries) await query.end()
    return count
  }

  test('a small response is remembered for an hour', async () => {
    const responses = await afterSmallResponses('ada')
    const [query] = await send(responses, ['grace'])
    vi.advanceTimersByTime(rememberedFor.small - 2)
    expect(running(await send(responses, ['ada']))).toBe(1)
    vi.advanceTimersByTime(4)
    expect(running(await send(responses, ['ada']))).toBe(0)
    await query?.end()
  })

  test('a large response is remembered for a minute, whatever follows it', async () => {
    const responses = new LargeResponses()
    const query = await sendOne(responses, 'ada')
    await query.becomeLarge()
    await query.end()
    vi.advanceTimersByTime(rememberedFor.large - 2)
    expect(await runningOfTwo(responses)).toBe(1)
    expect(await runningOfTwo(responses)).toBe(1)
    vi.advanceTimersByTime(4)
    expect(await runningOfTwo(responses)).toBe(1)
    expect(await runningOfTwo(responses)).toBe(2)
  })
})

test('a query whose client disconnects stops waiting', async () => {
  const responses = new LargeResponses()
  await sendOne(responses, 'ada')
  const client = new AbortController()
  const [left] = await send(responses, ['grace'], { signal: client.signal })
  client.abort()
  await expect(left?.result).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('an account with too many waiting queries is refused, and others of its address are not', async () => {
  const responses = new LargeResponses()
  const queries = await send(responses, Array(waitingForLargeTurn.waitingEach + 2).fill('ada'))
  await expect(queries.at(-1)?.result).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const [other] = await send(responses, ['grace'])
  await queries[0]?.end()
  expect(other?.isRunning).toBe(true)
})

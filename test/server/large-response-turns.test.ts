import { afterEach, expect, test, vi } from 'vitest'
import { LargeResponses, pauseTimeout } from '../../src/server/turns/large-responses.ts'

/** A query that returns when it is told to, and whose response may turn out to be large before. */
class Query {
  readonly result: Promise<unknown>
  isRunning = false
  isPaused = false
  #untilTurn: () => Promise<void> = async () => undefined
  #end: () => void = () => undefined

  constructor(responses: LargeResponses, account: string, address: string) {
    const run = (untilTurn: () => Promise<void>) => {
      this.isRunning = true
      this.#untilTurn = untilTurn
      return new Promise<void>((resolve) => {
        this.#end = resolve
      })
    }
    this.result = responses.run({ account, address }, 'response', run).finally(() => {
      this.isRunning = false
    })
    // A test that expects a failure awaits the result.
    this.result.catch(() => undefined)
  }

  /** Resolves when more than a small response has arrived and, if it has to wait, when others have begun that may. */
  async becomeLarge(): Promise<void> {
    this.isPaused = true
    this.#untilTurn().then(
      () => {
        this.isPaused = false
      },
      () => undefined,
    )
    await settled()
  }

  async end(): Promise<void> {
    this.#end()
    await settled()
  }
}

const settled = () => new Promise(setImmediate)

const running = (queries: readonly Query[]) => queries.filter(({ isRunning }) => isRunning).length

/** Sends queries, and resolves when those that may run have begun. */
async function send(responses: LargeResponses, accounts: readonly string[], address: string): Promise<Query[]> {
  const queries = accounts.map((account) => new Query(responses, account, address))
  await settled()
  return queries
}

/** Lets accounts receive a small response. */
async function receiveSmall(responses: LargeResponses, accounts: readonly string[], address: string): Promise<void> {
  for (const account of accounts) for (const query of await send(responses, [account], address)) await query.end()
}

/** Lets an account receive a large response. */
async function receiveLarge(responses: LargeResponses, account: string, address: string): Promise<void> {
  for (const query of await send(responses, [account], address)) {
    await query.becomeLarge()
    await query.end()
  }
}

const crowd = Array.from({ length: 24 }, (_, index) => `account ${index}`)

afterEach(() => {
  vi.useRealTimers()
})

test('new accounts of one address run their queries one by one, beside those of other addresses', async () => {
  const responses = new LargeResponses(8)
  const attacking = await send(responses, crowd, 'a')
  expect(running(attacking)).toBe(1)
  expect(running(await send(responses, ['grace'], 'b'))).toBe(1)
  await attacking[0]?.end()
  expect(running(attacking)).toBe(1)
  expect(attacking[1]?.isRunning).toBe(true)
})

test('an account whose responses are small does not wait for new accounts of its address', async () => {
  const responses = new LargeResponses(8)
  await receiveSmall(responses, ['grace'], 'a')
  await send(responses, crowd, 'a')
  expect(running(await send(responses, ['grace'], 'a'))).toBe(1)
})

test('an account whose responses are small does not wait for new accounts of many addresses', async () => {
  const responses = new LargeResponses(8)
  await receiveSmall(responses, ['grace'], 'a')
  const attacking = await Promise.all(crowd.map((account) => send(responses, [account], account)))
  expect(running(attacking.flat())).toBe(2)
  expect(running(await send(responses, ['grace'], 'a'))).toBe(1)
})

test('accounts of one address whose responses were small leave places to other addresses', async () => {
  const responses = new LargeResponses(8)
  await receiveSmall(responses, crowd, 'a')
  await receiveSmall(responses, ['grace'], 'b')
  expect(running(await send(responses, crowd, 'a'))).toBe(2)
  expect(running(await send(responses, ['grace'], 'b'))).toBe(1)
})

test('one large response at a time is received, and the other queries wait in the middle', async () => {
  const responses = new LargeResponses(8)
  const [first] = await send(responses, ['ada'], 'a')
  const [second] = await send(responses, ['grace'], 'b')
  await first?.becomeLarge()
  await second?.becomeLarge()
  expect([first?.isPaused, second?.isPaused]).toEqual([false, true])
  await first?.end()
  expect(second?.isPaused).toBe(false)
})

test('a query that waits for too long in the middle is refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const responses = new LargeResponses(8)
  const query = (account: string) =>
    responses.run({ account, address: account }, 'response', async (untilTurn) => {
      await untilTurn()
      if (account === 'ada') await new Promise(() => undefined)
    })
  void query('ada')
  await settled()
  const refused = expect(query('grace')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await settled()
  vi.advanceTimersByTime(pauseTimeout)
  await refused
})

test('queries of an account that has received a large response wait before they run', async () => {
  const responses = new LargeResponses(8)
  await receiveLarge(responses, 'ada', 'a')
  const large = await send(responses, Array(8).fill('ada'), 'a')
  expect(running(large)).toBe(1)
  expect(running(await send(responses, ['grace'], 'a'))).toBe(1)
})

test('queries that wait when their account receives a large response leave their places to others', async () => {
  const responses = new LargeResponses(8)
  await receiveSmall(responses, ['ada', 'grace', 'joan'], 'a')
  const queries = await send(responses, Array(8).fill('ada'), 'a')
  const others = await send(responses, ['grace', 'joan'], 'a')
  expect([running(queries), running(others)]).toEqual([4, 0])
  await queries[0]?.becomeLarge()
  for (const query of queries.slice(0, 4)) await query.end()
  expect([running(queries), running(others)]).toEqual([1, 2])
})

test('queries that wait in the middle leave a connection to those whose turn it is', async () => {
  const responses = new LargeResponses(2)
  const queries = await Promise.all(['a', 'b', 'c'].map((address) => send(responses, [address], address)))
  expect(running(queries.flat())).toBe(1)
  const withOnePlace = new LargeResponses(1)
  const first = await send(withOnePlace, ['ada'], 'a')
  const second = await send(withOnePlace, ['grace'], 'b')
  expect([running(first), running(second)]).toEqual([1, 0])
})

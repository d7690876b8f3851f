import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Budget, Budgets } from '../../../src/engine/auth/budgets.ts'
import { redisLimiters } from '../../../src/engine/data/limiters.ts'
import type { Log } from '../../../src/engine/log.ts'
import { SignInLimits } from '../../../src/features/accounts/sign-in-limits.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/proxy.ts'
import { keepLog } from '../../support/database/statements.ts'
import { signInFrom, signUp } from '../../support/graphql/sign-in.ts'
import { balanceOf } from '../../support/http/balance.ts'
import { commandDatabase } from '../../support/processes/command-database.ts'
import { hasRedis, startRedis } from '../../support/processes/redis.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'
import { endProcesses, startRookery } from '../../support/processes/rookery-process.ts'

const url = `redis://127.0.0.1:6379/15`

const isThere = await new Promise<boolean>((resolve) => {
  const socket = connect(6379, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
  socket.unref().on('connect', () => socket.destroy())
})

const rate = { points: 10_000, seconds: 3_600 }
const isAboutRedis = /Redis is (?:not counting|counting again)/

const away = expect.stringMatching('not counting')
const back = expect.stringMatching('counting again')

describe.skipIf(!isThere)('with Redis at 127.0.0.1:6379 (skipped where there is none)', () => {
  let redis: Redis
  let proxy: DatabaseProxy
  beforeAll(async () => {
    redis = new Redis(url)
    proxy = await startDatabaseProxy(url)
  })
  beforeEach(() => redis.flushdb())
  afterAll(async () => {
    await redis.flushdb()
    redis.disconnect()
    await proxy.close()
    await endProcesses()
  })

  test('two processes share a budget', async () => {
    const database = await commandDatabase()
    const env = { ...database.env, REDIS_URL: url, RATE_LIMIT: '5000', RATE_LIMIT_WINDOW: '3600' }
    expect((await runCommand(['doctor'], { ...env, PORT: '0' })).stdout).toMatch(/^ok +Redis /m)
    const { origin } = await startRookery(env)
    const limiters = await redisLimiters(url, keepLog().log)
    const own = await startApp({ budgets: new Budgets({ points: 5_000, seconds: 3_600 }, limiters) })
    const ask = async (nth: number) => fetch(`${nth % 2 ? origin : own.origin}/graphql?query={__typename}`)
    const remaining: number[] = []
    for (const nth of [0, 1, 2, 3]) remaining.push(balanceOf((await ask(nth)).headers).remaining)
    const [first = 0, second = 0] = remaining
    const price = first - second
    expect(price).toBeGreaterThan(0)
    expect(remaining).toEqual([1, 2, 3, 4].map((count) => 5_000 - count * price))
    const most = Math.floor(5_000 / price)
    const statuses = await Promise.all(Array.from({ length: most + 10 }, async (_, nth) => (await ask(nth)).status))
    expect(statuses.filter((status) => status === 200).length).toBe(most - 4)
    expect(statuses.filter((status) => status === 429).length).toBe(14)
    await own.close()
    limiters.close()
    await endProcesses()
    await database.remove()
  })

  test('what has been done takes all points that are left, if it takes more', async () => {
    const limiters = await redisLimiters(url, keepLog().log)
    const budget = () => new Budget(new Budgets(rate, limiters), 'ada')
    const [one, other, third] = [budget(), budget(), budget()]
    await one.charge(rate.points - 500)
    await Promise.all([...[1, 2, 3].map(() => other.charge(100)), one.spend(1_000)])
    expect(await one.balance()).toMatchObject({ remaining: 0 })
    expect(await third.balance()).toMatchObject({ remaining: 0 })
    limiters.close()
  })

  test('a budget is counted on after Redis has forgotten the script', async () => {
    const { log, lines } = keepLog()
    const limiters = await redisLimiters(url, log)
    const budget = new Budget(new Budgets(rate, limiters), 'ada')
    for (const _ of [1, 2, 3]) await budget.charge(100)
    await redis.script('FLUSH')
    await Promise.all([budget.charge(100), budget.charge(100)])
    expect(await redis.get('rookery:budget:ada')).toBe('500')
    expect(lines).toEqual([])
    limiters.close()
  })

  test('a budget is full again after its window, although the clock of Redis steps back an hour', async () => {
    const limiters = await redisLimiters(url, keepLog().log)
    const budgets = new Budgets({ points: 1_000, seconds: 1 }, limiters)
    const charge = async () => new Budget(budgets, 'ada').charge(1_000)
    await charge()
    for (const key of await redis.keys('*')) await redis.pexpire(key, 3_600_000)
    await expect(charge()).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfter: 1 } })
    await expect
      .poll(() =>
        charge().then(
          () => 'charged',
          () => 'refused',
        ),
      )
      .toBe('charged')
    limiters.close()
  })

  describe('that goes away', () => {
    let app: TestApp
    let other: TestApp
    let ada: Person
    const kept = keepLog()
    const close: (() => void)[] = []
    const start = async (log: Log, open?: Parameters<typeof startApp>[1]) => {
      const limiters = await redisLimiters(proxy.url, log)
      close.push(limiters.close)
      const settings = { budgets: new Budgets(rate, limiters), signInLimits: new SignInLimits(limiters, 600) }
      return startApp(settings, open)
    }
    beforeAll(async () => {
      app = await start(kept.log)
      other = await start(keepLog().log, sharing(app))
      ada = await app.person()
    })
    afterAll(async () => {
      await Promise.all([app.close(), other.close()])
      for (const each of close) each()
    })

    const remainingOf = async ({ graphql }: TestApp) =>
      balanceOf((await graphql(ada.token, '{ rateLimit(dryRun: true) { cost } }')).headers).remaining
    const aboutRedis = () => kept.lines.map(({ msg }) => msg).filter((message) => isAboutRedis.test(message))

    test('a process counts on its own, says so once, and shares again afterwards', async () => {
      const spend = () => app.graphql(ada.token, '{ nothing }')
      await expect.poll(async () => (await spend()) && redis.dbsize(), { timeout: 20_000 }).toBe(1)
      const shared = await remainingOf(other)
      expect(shared).toBeLessThan(rate.points)

      const before = aboutRedis().length
      proxy.hangUp()
      await expect.poll(() => remainingOf(other), { timeout: 20_000 }).toBeGreaterThan(shared)
      for (const _nth of [1, 2, 3]) expect((await spend()).status).toBeLessThan(500)
      expect(await remainingOf(app)).toBeLessThan(rate.points)
      expect(aboutRedis().slice(before)).toEqual([away])

      proxy.back()
      await expect.poll(() => remainingOf(other), { timeout: 20_000 }).toBe(shared)
      await expect.poll(() => remainingOf(app), { timeout: 20_000 }).toBe(shared)
      expect(aboutRedis().slice(before)).toEqual([away, back])
    })

    test('wrong passwords are counted for all processes', async () => {
      await signUp(app, { username: 'grace' })
      const wrong = { secret: 'not the password' }
      const outcomes: string[] = []
      for (const nth of Array.from({ length: 8 }).keys()) {
        outcomes.push(await signInFrom(nth % 2 ? app : other, '127.0.8.1', 'grace', wrong))
      }
      expect(outcomes).toEqual([...Array(6).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED', 'RATE_LIMITED'])
      expect(await signInFrom(app, '127.0.8.2', 'grace')).toBe('DONE')
    })

    test('requests are answered while Redis accepts connections but does not answer', async () => {
      proxy.standStill()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => app.graphql(ada.token, '{ viewer { username } }')),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
      proxy.goOn()
    })
  })
})

describe.skipIf(!hasRedis)('with a Redis whose memory is full (skipped where none can be started)', () => {
  test('each process counts alone, and says so once', async () => {
    const redis = await startRedis()
    const { log, lines } = keepLog()
    const limiters = await redisLimiters(redis.url, log)
    const admin = new Redis(redis.url)
    const budgets = new Budgets({ points: 1_000, seconds: 3_600 }, limiters)
    const charge = () => new Budget(budgets, 'ada').charge(400)
    await charge()
    await admin.config('SET', 'maxmemory', '1')
    for (const _nth of [1, 2]) await charge()
    await expect(charge()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const aboutRedis = lines.filter(({ msg }) => isAboutRedis.test(msg))
    expect(aboutRedis).toMatchObject([{ msg: away, err: { message: expect.stringMatching('OOM') } }])
    admin.disconnect()
    limiters.close()
    await redis.stop()
  })

  test('the doctor warns where Redis would drop counts', async () => {
    const redis = await startRedis('--maxmemory-policy', 'allkeys-lru')
    const database = await commandDatabase()
    const asked = () => runCommand(['doctor'], { ...database.env, PORT: '0', REDIS_URL: redis.url })
    expect((await asked()).stdout).toMatch(/^warning +Redis +With maxmemory-policy allkeys-lru, .*\n.* noeviction/m)
    const admin = new Redis(redis.url)
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    expect((await asked()).stdout).toMatch(/^ok +Redis /m)
    admin.disconnect()
    await redis.stop()
    await database.remove()
  })
})

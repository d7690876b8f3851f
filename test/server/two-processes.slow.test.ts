import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres } from '../support/database.ts'
import { addWriter } from '../support/networks/writer.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'
import { repeatableWrites, type Subject, sendUntilDone, sendWrite, stateOf } from '../support/rest/repeatable-writes.ts'

const parallel = 50
/** The refusal of a request that waited too long on a slow machine. */
const busy = { code: 'UNAVAILABLE', status: 503, retryAfter: '1' }

describe.runIf(onPostgres)('two processes on one database', () => {
  let database: CommandDatabase
  let origins: string[]
  let token: string
  let subjects: Subject[]
  beforeAll(async () => {
    database = await commandDatabase()
    ;({ token, subjects } = await addWriter(database, repeatableWrites.length))
    const servers = await Promise.all([startRookery(database.env), startRookery(database.env)])
    origins = servers.map(({ origin }) => origin)
  })
  afterAll(async () => {
    await endProcesses()
    await database.remove()
  })

  test.each(repeatableWrites.map((write, nth) => ({ ...write, nth })))(
    `do $what once, although it is sent ${parallel} times at the same time`,
    async ({ nth, request, isKeyed, done }) => {
      const subject = subjects[nth]
      if (!subject) throw new RangeError('There are too few subjects')
      const key = isKeyed ? newId() : undefined
      const originOf = (index: number) => origins[index % origins.length] ?? ''
      const send = (_: unknown, index: number) => sendWrite(originOf(index), token, request(subject), key)
      const answers = await Promise.all(Array.from({ length: parallel }, send))
      await database.use(async (opened) => expect(await stateOf(opened, subject)).toEqual(done))

      const refused = answers.filter(({ code }) => code !== 'OK')
      const successes = answers.filter(({ code }) => code === 'OK')
      expect(successes.filter(({ isReplay }) => !isReplay)).toHaveLength(isKeyed ? 1 : successes.length)
      const inUse = { code: 'IDEMPOTENCY_KEY_IN_USE', status: 409, retryAfter: '1' }
      for (const { code, status, retryAfter } of refused) {
        expect(isKeyed ? [inUse, busy] : [busy]).toContainEqual({ code, status, retryAfter })
      }
      expect(successes.length).toBeGreaterThan(isKeyed ? 0 : parallel / 2)

      const repeated = await Promise.all(
        refused.map((_, index) => sendUntilDone(originOf(index), token, request(subject), key)),
      )
      expect(repeated.every(({ isReplay }) => isReplay === isKeyed)).toBe(true)
      expect(new Set([...successes, ...repeated].map(({ body }) => body)).size).toBe(1)
      await database.use(async (opened) => expect(await stateOf(opened, subject)).toEqual(done))
    },
  )
})

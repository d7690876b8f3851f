import { v7 as newId } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startResponseThief } from '../support/http/response-thief.ts'
import { addWriter } from '../support/networks/writer.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'
import {
  type RepeatableWrite,
  repeatableWrites,
  type State,
  type Subject,
  sendUntilDone,
  sendWrite,
  stateOf,
} from '../support/rest/repeatable-writes.ts'

let database: CommandDatabase
beforeEach(async () => {
  database = await commandDatabase()
})
afterEach(async () => {
  await endProcesses()
  await database.remove()
})

/** Toggles with a key, and sending with a uuid. */
const writes = repeatableWrites.filter(({ what, isKeyed }) => !isKeyed || what.startsWith('a toggled like'))

/** Each write with a subject of its own, and how to send it. */
async function prepare(writes: readonly RepeatableWrite[]) {
  const { token, subjects } = await addWriter(database, writes.length)
  return writes.flatMap((write, nth) => {
    const subject = subjects[nth]
    if (!subject) return []
    const [request, key] = [write.request(subject), write.isKeyed ? newId() : undefined]
    return {
      ...write,
      subject,
      send: (origin: string) => sendWrite(origin, token, request, key),
      sendUntilDone: (origin: string) => sendUntilDone(origin, token, request, key),
    }
  })
}

/** Expects that each write was done once. */
function expectDone(...prepared: readonly { readonly subject: Subject; readonly done: State }[]): Promise<void> {
  return database.use(async (opened) => {
    for (const { subject, done } of prepared) expect(await stateOf(opened, subject)).toEqual(done)
  })
}

test('a process that is killed as it begins to respond has applied its write, and the next process repeats the response', async () => {
  const prepared = await prepare(writes)
  let server = await startRookery(database.env)
  for (const write of prepared) {
    const { origin, close } = await startResponseThief(server.origin, () => server.signal('SIGKILL'))
    await expect(write.send(origin)).rejects.toThrow()
    await server.ended
    await close()
    await expectDone(write)
    server = await startRookery(database.env)
    expect(await write.send(server.origin)).toMatchObject({ code: 'OK', status: 200, isReplay: write.isKeyed })
  }
  await endProcesses()
  await expectDone(...prepared)
})

test('writes that are in progress when their process is killed are done once when they are repeated', async () => {
  const prepared = await prepare(Array.from({ length: 3 }, () => repeatableWrites).flat())
  const server = await startRookery(database.env)
  const sending = prepared.map(({ send }) => send(server.origin))
  const sent = Promise.allSettled(sending)
  await Promise.race(sending)
  server.signal('SIGKILL')
  await server.ended
  await sent
  const next = await startRookery(database.env)
  await Promise.all(prepared.map(({ sendUntilDone }) => sendUntilDone(next.origin)))
  await endProcesses()
  await expectDone(...prepared)
})

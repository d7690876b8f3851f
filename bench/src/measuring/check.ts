import type pg from 'pg'
import { cleanUp } from '../database/clean.ts'
import { type Running, type Server, start } from '../servers/server.ts'
import { isMeasuredAt, type Request, speakerOf } from '../works/speaker.ts'
import type { Call, Work } from '../works/work.ts'
import { ask, difference, normalised } from './answers.ts'
import { openProxy } from './proxy.ts'

/** Statements of one request, by work and server. */
export type StatementCounts = ReadonlyMap<string, number>

/** The key of one server at one work. */
export const at = (work: Pick<Work, 'name'>, server: Pick<Server, 'name'>) => `${work.name} ${server.name}`

const checkedCalls = 12
const warmUps = 8

/** Calls spread over all of a work's, so that all kinds of viewers and pages are among them. */
function someOf<T>(calls: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(calls.length / checkedCalls))
  return calls.filter((_, index) => index % step === 0).slice(0, checkedCalls)
}

/** Asks a server some of a work's calls, and throws unless it answers as the servers before it did. */
export async function checkWork(
  { server, origin }: Running,
  work: Work,
  requestOf: (call: Call) => Request,
  expected: Map<string, unknown[]>,
): Promise<void> {
  const answers: unknown[] = []
  for (const call of someOf(work.calls)) answers.push(normalised(await ask(origin, requestOf(call)), work))
  const known = expected.get(work.name)
  const found = known && difference(known, answers)
  if (found) throw new Error(`${server.name} answers ${work.name} differently: ${found}`)
  expected.set(work.name, answers)
}

async function checkServer(
  running: Running,
  works: readonly Work[],
  db: pg.Client,
  expected: Map<string, unknown[]>,
  statements: () => number,
): Promise<Map<string, number>> {
  const { server, origin } = running
  const speak = await speakerOf(running)
  const counts = new Map<string, number>()
  let nth = 0
  for (const work of works.filter((work) => isMeasuredAt(server.kind, work))) {
    await using _ = { [Symbol.asyncDispose]: () => cleanUp(db, work) }
    const calls = someOf(work.calls)
    await checkWork(running, work, (call) => speak(work, call, ++nth), expected)
    // What is done once for a document or a connection is done by now, and tokens are known.
    for (let warm = 0; warm < warmUps; warm++)
      for (const call of calls.slice(0, 1)) await ask(origin, speak(work, call, ++nth))
    const before = statements()
    for (const call of calls) await ask(origin, speak(work, call, ++nth))
    counts.set(at(work, server), (statements() - before) / calls.length)
  }
  return counts
}

/** Proves that all servers give the same answers, and counts the statements that each needs for them. */
export async function checkAll(
  servers: readonly Server[],
  works: readonly Work[],
  db: pg.Client,
  env: Readonly<Record<string, string>> & { readonly DATABASE_URL: string },
): Promise<StatementCounts> {
  // A run that was interrupted may have left something.
  for (const work of works) await cleanUp(db, work)
  const expected = new Map<string, unknown[]>()
  const counts = new Map<string, number>()
  for (const server of servers) {
    const proxy = await openProxy(env.DATABASE_URL)
    const running = await start(server, { ...env, DATABASE_URL: proxy.url })
    try {
      const found = await checkServer(running, works, db, expected, proxy.statements)
      for (const [key, count] of found) counts.set(key, count)
    } finally {
      await running.stop()
      proxy.close()
    }
    process.stdout.write(`${server.name}: the same answers\n`)
  }
  return counts
}

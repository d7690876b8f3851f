import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Request } from '../works/speaker.ts'
import { addresses, type Strike, Tally, type Target } from './attack.ts'

/** The most requests of one attack. */
export const mostRequests = 50_000

/** How long an answer is waited for, and a connection that broke is left alone, in milliseconds. */
const patience = { answer: 15_000, broken: 50 } as const

/** Sends a request and counts its answer, which is read to its end; the answer's status, or 0 without one. */
export async function send(pool: Pool, { method, path, headers, body }: Request, tally: Tally): Promise<number> {
  try {
    const answer = await pool.request({ method, path, headers, body })
    let start = ''
    for await (const chunk of answer.body) if (start === '') start = String(chunk).slice(0, 20)
    tally.count(answer.statusCode, start)
    return answer.statusCode
  } catch {
    tally.broken += 1
    return 0
  }
}

/** Connections from an address of the loopback. */
export function connectFrom(localAddress: string, { origin }: Target, connections: number): Pool {
  const timeouts = { headersTimeout: patience.answer, bodyTimeout: patience.answer }
  return new Pool(origin, { connections, pipelining: 1, ...timeouts, localAddress })
}

/** Sends one request after the other on each of so many connections; `nth` differs for each. */
export function flood(target: Target, connections: number, next: (nth: number) => Request): Strike {
  return async (until, tally) => {
    const pool = connectFrom(addresses.attacker, target, connections)
    let nth = 0
    const lane = async () => {
      while (performance.now() < until && nth < mostRequests) {
        const status = await send(pool, next(nth++), tally)
        if (status === 0) await sleep(patience.broken)
      }
    }
    // What is still under way at the end is given up.
    await Promise.race([Promise.all(Array.from({ length: connections }, lane)), sleep(until - performance.now())])
    pool.destroy().catch(() => undefined)
    return undefined
  }
}

/** The largest size, from 1 to `most`, whose request is permitted; 1 where none is. */
export async function largestPermitted(
  target: Target,
  most: number,
  request: (size: number) => Request,
): Promise<number> {
  const pool = connectFrom(addresses.attacker, target, 1)
  const isPermitted = async (size: number) => {
    const tally = new Tally()
    await send(pool, request(size), tally)
    return tally.answered === 1
  }
  let [permitted, refused] = [1, most + 1]
  try {
    if (await isPermitted(most)) return most
    refused = most
    while (refused - permitted > 1) {
      const size = (permitted + refused) >> 1
      if (await isPermitted(size)) permitted = size
      else refused = size
    }
    return permitted
  } finally {
    await pool.destroy()
  }
}

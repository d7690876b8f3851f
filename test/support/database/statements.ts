import { Writable } from 'node:stream'
import pino from 'pino'
import { z } from 'zod'
import type { Log } from '../../../src/engine/log.ts'

const line = z.looseObject({
  level: z.number(),
  msg: z.string(),
  statement: z.string().optional(),
  requestId: z.string().optional(),
  replica: z.string().optional(),
})

/** One line of a log. */
export type Line = z.infer<typeof line>

/** A recorded log, and the statements that were sent to the database. */
export type KeptLog = {
  readonly log: Log
  readonly lines: Line[] /** The statements that `action` sends. */
  statementsOf(action: () => Promise<unknown>): Promise<string[]>
}

/** Creates a log at level `trace` that is kept in memory. */
export function keepLog(): KeptLog {
  const lines: Line[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(line.parse(JSON.parse(String(chunk))))
      done()
    },
  })
  return {
    log: pino({ level: 'trace' }, stream),
    lines,
    statementsOf: async (action) => {
      const before = lines.length
      await action()
      return lines.slice(before).flatMap(({ statement }) => statement ?? [])
    },
  }
}

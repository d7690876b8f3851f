import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, start } from '../servers/server.ts'
import { median } from './statistics.ts'

/** How long Rookery takes from the start of its process until it is ready, with its embedded database, in milliseconds. */
export type Start = {
  readonly server: string
  readonly demo: 'on' | 'off'
  readonly isNew: number
  readonly existing: number
}

const repetitions = 3

async function timeStart(server: Server, env: Readonly<Record<string, string>>): Promise<number> {
  const began = performance.now()
  const running = await start(server, env)
  const took = performance.now() - began
  await running.stop()
  return took
}

/** Starts Rookery in new folders and again in the same ones. */
export async function measureStarts(servers: readonly Server[]): Promise<Start[]> {
  const starts: Start[] = []
  for (const server of servers.filter(({ kind }) => kind === 'rookery')) {
    for (const demo of ['on', 'off'] as const) {
      const times: { isNew: number; existing: number }[] = []
      for (let nth = 0; nth < repetitions; nth++) {
        const folder = await mkdtemp(join(tmpdir(), 'rookery-bench-'))
        const env = { DATA_DIR: join(folder, 'data'), DEMO: demo, LOG_LEVEL: 'info' }
        try {
          times.push({ isNew: await timeStart(server, env), existing: await timeStart(server, env) })
        } finally {
          await rm(folder, { recursive: true })
        }
      }
      const isNew = median(times.map((time) => time.isNew))
      const existing = median(times.map((time) => time.existing))
      starts.push({ server: server.name, demo, isNew, existing })
    }
  }
  return starts
}

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

/** Starts Rookery in new folders and again in the same ones, the servers taking turns. */
export async function measureStarts(servers: readonly Server[]): Promise<Start[]> {
  const rows = servers.flatMap((server) =>
    (['on', 'off'] as const).map((demo) => ({ server, demo, isNew: [] as number[], existing: [] as number[] })),
  )
  for (let nth = 0; nth < repetitions; nth++) {
    for (const { server, demo, isNew, existing } of rows) {
      const folder = await mkdtemp(join(tmpdir(), 'rookery-bench-'))
      const env = { DATA_DIR: join(folder, 'data'), DEMO: demo, LOG_LEVEL: 'info' }
      try {
        isNew.push(await timeStart(server, env))
        existing.push(await timeStart(server, env))
      } finally {
        await rm(folder, { recursive: true })
      }
    }
  }
  return rows.map(({ server, demo, isNew, existing }) => {
    return { server: server.name, demo, isNew: median(isNew), existing: median(existing) }
  })
}

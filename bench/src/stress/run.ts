import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { peakMemory, type Running } from '../servers/server.ts'
import type { Attack } from './attack.ts'
import { AttackThread, type Done } from './attack-thread.ts'
import type { StressDatabase } from './databases.ts'
import { PostgresMemory, resetPeakMemory } from './memory.ts'
import { addTargets, type Network, seed } from './network.ts'
import { lives, serve } from './rookery.ts'
import { type Observation, Watch } from './watch.ts'

/** How long it is observed before each attack, in milliseconds, and how often at most until it is calm. */
const before = { observed: 2_000, times: 10 } as const

/** What counts as calm, in milliseconds. */
const calm = { health: 100, polite: 500 } as const

/** What an attack did to a server. */
export type Result = {
  readonly attack: Attack
  /** What it did; undefined where it did not end in time. */
  readonly done: Done | undefined
  /** What the others saw before it, and during it. */
  readonly alone: Observation
  readonly attacked: Observation
  /** Whether it was calm before: otherwise `alone` tells of the attack before this one. */
  readonly wasCalm: boolean
  readonly survived: boolean
  /** The most memory that the server's process held, in bytes; undefined where it died. */
  readonly memory: number | undefined
  /** The same for the processes of PostgreSQL that serve it. */
  readonly postgresMemory: number | undefined
}

/** Runs each attack on a server with this database, which is started anew for each row and when it died. */
export async function runAttacks(
  database: StressDatabase,
  attacks: readonly Attack[],
  seconds: number,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  await seed(database)
  let running = await serve(database)
  const results: Result[] = []
  try {
    const network = await addTargets(database)
    for (const [index, attack] of attacks.entries()) {
      if (attack.row !== attacks[index - 1]?.row) await running.stop()
      if (!lives(running)) running = await serve(database)
      const result = await run(attack, running, network, database, seconds)
      onResult(result)
      results.push(result)
    }
  } finally {
    await running.stop()
  }
  return results
}

async function run(
  attack: Attack,
  running: Running,
  { target, politeToken }: Network,
  database: StressDatabase,
  seconds: number,
): Promise<Result> {
  const thread = await AttackThread.prepare(attack, { ...target, origin: running.origin }, seconds)
  const watch = new Watch(running.origin, politeToken)
  try {
    const { alone, wasCalm } = await observeAlone(watch, running)
    await resetPeakMemory(running.pid)
    const struck = thread.strike()
    const [done, attacked, postgresMemory] = await Promise.all([
      struck,
      watch.during(struck),
      database.kind === 'PostgreSQL' ? postgresMemoryDuring(struck, database) : undefined,
    ])
    const memory = await peakMemory(running.pid)
    return { attack, done, alone, attacked, wasCalm, survived: lives(running), memory, postgresMemory }
  } finally {
    await watch.close()
  }
}

/** Observes the server until it is calm after what was before. */
async function observeAlone(watch: Watch, running: Running): Promise<{ alone: Observation; wasCalm: boolean }> {
  for (let time = 1; ; time++) {
    const alone = await watch.during(sleep(before.observed))
    const { health, polite } = alone
    const failed = health.failed + polite.failed
    const wasCalm = failed === 0 && health.worst <= calm.health && polite.p99 <= calm.polite
    if (wasCalm || time >= before.times || !lives(running)) return { alone, wasCalm }
  }
}

async function postgresMemoryDuring(other: Promise<unknown>, { connection }: StressDatabase): Promise<number> {
  const db = new pg.Client(connection)
  await db.connect()
  const memory = new PostgresMemory(db)
  try {
    const watched = memory.watch()
    await other
    memory.end()
    return await watched
  } finally {
    await db.end()
  }
}

import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { floods } from '../fairness/floods.ts'
import { Tally, type Target } from './attack.ts'
import type { Order, Report } from './attack-thread.ts'
import { attacks } from './attacks/all.ts'

// Runs one attack in a thread of its own, so that those who measure are not held up.
const { name, target, seconds }: { name: string; target: Target; seconds: number } = workerData
const attack = [...attacks, ...floods].find((it) => it.name === name)
if (!attack || !parentPort) throw new Error(`There is no attack ${name}.`)
const port = parentPort
const report = (message: Report) => port.postMessage(message)

// Real attackers use processors of their own. On Linux, this sets the priority of this thread only.
setPriority(constants.priority.PRIORITY_LOW)

const { strike, note } = await attack.prepare(target)
port.once('message', async (_order: Order) => {
  const tally = new Tally()
  const seen = await strike(performance.now() + seconds * 1_000, tally)
  const { requests, refused, broken } = tally
  const notes = [note, seen].filter((it) => it !== undefined)
  report({ kind: 'done', requests, refused, broken, notes })
})
report({ kind: 'ready' })

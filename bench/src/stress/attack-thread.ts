import { Worker } from 'node:worker_threads'
import type { Attack, Target } from './attack.ts'

/** What a prepared attack is told. */
export type Order = 'go'

/** What an attack did. */
export type Done = {
  readonly kind: 'done'
  readonly requests: number
  readonly refused: number
  readonly broken: number
  readonly notes: readonly string[]
}

/** What a thread says. */
export type Report = { readonly kind: 'ready' } | Done

/** How long preparing may take, and ending beyond the time of the attack, in milliseconds. */
const patience = { prepare: 60_000, end: 5_000 } as const

/** An attack in a thread of its own. */
export class AttackThread {
  readonly #worker: Worker
  readonly #seconds: number

  private constructor(worker: Worker, seconds: number) {
    this.#worker = worker
    this.#seconds = seconds
  }

  /** Starts the thread, and lets it find out how large the attack may be. */
  static async prepare({ name }: Attack, target: Target, seconds: number): Promise<AttackThread> {
    const worker = new Worker(new URL('attacker.ts', import.meta.url), { workerData: { name, target, seconds } })
    await nextReport(worker, patience.prepare)
    return new AttackThread(worker, seconds)
  }

  /** Attacks, and ends the thread; undefined where it did not end in time. */
  async strike(): Promise<Done | undefined> {
    const order: Order = 'go'
    this.#worker.postMessage(order)
    const report = await nextReport(this.#worker, this.#seconds * 1_000 + patience.end)
    await this.#worker.terminate()
    return report?.kind === 'done' ? report : undefined
  }
}

function nextReport(worker: Worker, milliseconds: number): Promise<Report | undefined> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(resolve, milliseconds, undefined)
    worker.once('error', reject)
    worker.once('message', (report: Report) => {
      clearTimeout(late)
      worker.off('error', reject)
      resolve(report)
    })
  })
}

import cluster, { type Worker } from 'node:cluster'
import type { Registry } from 'prom-client'

/** The metrics of a process as prom-client sums them. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What the primary process asks its workers, with the answers. */
type Answers = { readonly isAlive: true; readonly allServe: true; readonly metrics: ProcessMetrics }

/** How a worker ended, or why it could not start. */
type WorkerEnd = { readonly code?: number | null; readonly signal?: string | null; readonly err?: unknown }

/** Answers a question of the primary process, in a worker. */
export function answerPrimary<Q extends keyof Answers>(question: Q, find: () => Promise<Answers[Q]>): void {
  process.on('message', async (asked: { readonly id: number; readonly question: keyof Answers }) => {
    if (asked.question !== question) return
    const answer = await find().catch(() => undefined)
    // Without the primary process, the worker ends.
    process.send?.({ id: asked.id, answer }, undefined, undefined, () => undefined)
  })
}

/** In a worker, whether the primary process has not yet said that all workers serve. */
export function watchStart(): () => boolean {
  let isStarting = true
  answerPrimary('allServe', async () => {
    isStarting = false
    return true
  })
  return () => isStarting
}

/** In a worker, ends with the primary process, and tells it that this process is alive. */
export function followPrimary(): void {
  answerPrimary('isAlive', async () => true)
  // A message that is lost because the primary process has ended. So does this one.
  cluster.worker?.on('error', () => undefined)
  // This process ends when it has nothing to do any more.
  process.channel?.unref()
}

/** A worker, in the primary process. Whatever happens to it, nothing is thrown. */
export class WorkerProcess {
  readonly ended: Promise<WorkerEnd>
  /** The port that it listens on. Undefined if it ends before. */
  readonly port: Promise<number | undefined>
  isServing = false
  hasEnded = false
  #worker: Worker | undefined
  #lastId = 0
  #wasHeard = false

  constructor() {
    const end = new Promise<WorkerEnd>((resolve, reject) => {
      const worker = cluster.fork()
      this.#worker = worker
      worker.once('exit', (code, signal) => resolve({ code, signal }))
      worker.on('message', () => {
        this.#wasHeard = true
      })
      // A process that could not be started does not end. A running one that gets no messages does not answer.
      worker.on('error', (error) => worker.process.pid === undefined && reject(error))
    })
    this.ended = end.catch((err) => ({ err }))
    this.port = new Promise((resolve) => {
      this.#worker?.once('listening', ({ port }) => {
        this.isServing = true
        resolve(port)
      })
      this.ended.then(() => {
        this.hasEnded = true
        resolve(undefined)
      })
    })
  }

  get pid(): number | undefined {
    return this.#worker?.process.pid
  }

  /** Whether it has answered anything since the last call, however late. */
  wasHeard(): boolean {
    const wasHeard = this.#wasHeard
    this.#wasHeard = false
    return wasHeard
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker?.process.kill(signal)
  }

  /** Undefined if it does not answer within so many milliseconds. */
  async ask<Q extends keyof Answers>(question: Q, timeout: number): Promise<Answers[Q] | undefined> {
    this.#lastId += 1
    const id = this.#lastId
    const worker = this.#worker
    if (!worker?.isConnected()) return undefined
    return new Promise((resolve) => {
      const end = (answer?: Answers[Q]) => {
        clearTimeout(timer)
        worker.off('message', hear).off('exit', leave)
        resolve(answer)
      }
      const hear = (message: { readonly id: number; readonly answer?: Answers[Q] }) => {
        if (message.id === id) end(message.answer)
      }
      const leave = () => end()
      const timer = setTimeout(leave, timeout).unref()
      worker.on('message', hear).once('exit', leave)
      worker.send({ id, question }, (error) => error && leave())
    })
  }
}

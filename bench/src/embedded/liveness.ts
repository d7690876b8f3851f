import { once } from 'node:events'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'

// How long a server goes without answering `/health/live`. A thread of its own asks, so the load does not delay it.

/** How often the server is asked, in milliseconds. */
const interval = 20

/** Asks until it is stopped, which gives the longest time between two answers, in milliseconds. Resolves with the first answer. */
export async function watchLiveness(origin: string): Promise<{ stop(): Promise<number> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: `${origin}/health/live` })
  await once(worker, 'message')
  return {
    stop: async () => {
      worker.postMessage('stop')
      const [longest] = await once(worker, 'message')
      return Number(longest)
    },
  }
}

async function ask(url: string): Promise<void> {
  const response = await fetch(url)
  await response.text()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
}

async function poll(url: string, parent: MessagePort): Promise<void> {
  let isStopped = false
  parent.once('message', () => {
    isStopped = true
  })
  await ask(url)
  parent.postMessage('started')
  let longest = 0
  for (let last = performance.now(); !isStopped; ) {
    await new Promise((resolve) => setTimeout(resolve, interval))
    await ask(url)
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  parent.postMessage(longest)
}

if (parentPort !== null) await poll(String(workerData), parentPort)

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../http/port.ts'

/** Whether Redis can be started. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Starts a Redis of its own with these options, which keeps nothing. */
export async function startRedis(...options: readonly string[]) {
  const port = String(await freePort())
  const child = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', ...options])
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept connections')) break
  child.stdout.resume()
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  return { url: `redis://127.0.0.1:${port}/0`, stop }
}

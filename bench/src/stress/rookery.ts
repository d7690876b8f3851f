import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../runtimes.ts'
import { type Running, type Server, start } from '../servers/server.ts'
import { smallHeap } from '../servers/servers.ts'
import type { StressDatabase } from './databases.ts'

const program = join(root, 'dist/cli/main.js')

/** The heap that the server has, in MiB. */
export const heap = smallHeap

const server: Server = {
  name: 'Rookery',
  kind: 'rookery',
  runtime: { path: process.execPath, version: process.version, major: Number(process.versions.node.split('.')[0]) },
  flags: [`--max-old-space-size=${heap}`],
  script: program,
  args: ['serve'],
  setUp: `a heap of ${heap} MiB`,
}

/** Starts `rookery serve` with little memory. */
export function serve({ env }: StressDatabase): Promise<Running> {
  return start(server, { ...env, DEMO: 'off', LOG_LEVEL: 'error', RATE_LIMIT: 'off' })
}

/** Runs another command of Rookery's on the database, and gives what it prints. */
export async function rookery({ env }: StressDatabase, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(input)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`rookery ${args.join(' ')} ended with ${code}.`)
  return output.trim()
}

/** Whether a server's process still runs. */
export function lives({ pid }: Running): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

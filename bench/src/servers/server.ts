import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Runtime } from '../runtimes.ts'

/** How a server is spoken to. */
export type Kind = 'floor' | 'rookery' | 'postgraphile-settings' | 'postgraphile-argument' | 'mercurius' | 'apollo'

/** A server that can be started. */
export type Server = {
  readonly name: string
  readonly kind: Kind
  readonly runtime: Runtime
  /** Options of Node.js itself. */
  readonly flags?: readonly string[]
  readonly script: string
  readonly args: readonly string[]
  /** How it is set up, for the report. */
  readonly setUp: string
}

/** A server that listens. */
export type Running = {
  readonly server: Server
  readonly origin: string
  readonly pid: number
  /** Ends the process and waits for it. */
  stop(): Promise<void>
}

const patience = 30_000
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
const keptOutput = 10_000

/** Where a process says that it listens: the first URL of the loopback in its output. */
function originOf(child: ChildProcess, name: string): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${name} ${why}:\n${output}`))
    const timeout = setTimeout(() => fail('did not start in time'), patience)
    const read = (chunk: Buffer) => {
      output = (output + chunk).slice(-keptOutput)
      const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (origin === undefined) return
      clearTimeout(timeout)
      resolve(origin)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-keptOutput)
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      clearTimeout(timeout)
      fail(`ended with ${code}`)
    })
  })
}

/** Starts a server in a process of its own, with nothing but these variables besides `PATH`, and waits until it listens. */
export async function start(server: Server, env: Readonly<Record<string, string>>): Promise<Running> {
  const child = spawn(server.runtime.path, [...(server.flags ?? []), server.script, ...server.args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const exited = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  }).finally(() => children.delete(child))
  const stop = async () => {
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await exited
    clearTimeout(force)
  }
  try {
    const origin = await originOf(child, server.name)
    if (child.pid === undefined) throw new Error(`${server.name} has no process`)
    return { server, origin, pid: child.pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts servers one after the other. When one does not start, the others are stopped. */
export async function startAll(servers: readonly Server[], env: Readonly<Record<string, string>>): Promise<Running[]> {
  const running: Running[] = []
  try {
    for (const server of servers) running.push(await start(server, env))
    return running
  } catch (error) {
    await Promise.all(running.map((server) => server.stop()))
    throw error
  }
}

async function memory(pid: number, line: RegExp): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = line.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

/** The memory that a process holds, in bytes; undefined where the system does not tell. */
export const memoryNow = (pid: number) => memory(pid, /^VmRSS:\s+(\d+) kB/m)

/** The most memory that a process ever held, in bytes; undefined where the system does not tell. */
export const peakMemory = (pid: number) => memory(pid, /^VmHWM:\s+(\d+) kB/m)

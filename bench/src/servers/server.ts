import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** How a server is spoken to. */
export type Kind =
  | 'floor'
  | 'duties'
  | 'rookery'
  | 'postgraphile-settings'
  | 'postgraphile-argument'
  | 'mercurius'
  | 'apollo'

/** A server that can be started. */
export type Server = {
  readonly name: string
  readonly kind: Kind
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
// Leaving by `exit` ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
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
  const child = spawn(process.execPath, [server.script, ...server.args], {
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

/** A server and its environment. */
export type Started = { readonly server: Server; readonly env: Readonly<Record<string, string>> }

/** Starts servers one after the other. When one does not start, the others are stopped. */
export async function startAll(servers: readonly Started[]): Promise<Running[]> {
  const running: Running[] = []
  try {
    for (const { server, env } of servers) running.push(await start(server, env))
    return running
  } catch (error) {
    await stopAll(running)
    throw error
  }
}

/** Stops servers and waits for them. */
export async function stopAll(running: readonly Running[]): Promise<void> {
  await Promise.all(running.map((server) => server.stop()))
}

/** The most memory that a process ever held, in bytes; undefined where the system does not tell. */
export async function peakMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

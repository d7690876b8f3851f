import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { limitNames } from '../../../src/features/limits/declarations.ts'
import { type Outcome, type Started, startProgram } from './program.ts'

/** A server in its own process. */
export type ServerProcess = {
  readonly pid: number | undefined
  /** Its standard output until it was ready. */
  readonly stdout: string
  /** Its log so far. */
  log(): string
  readonly origin: string
  /** The printed token, or an empty text. */
  readonly token: string
  signal(name: NodeJS.Signals): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<Outcome>
}

/** The built program. */
export const rookeryProgram = new URL('../../../dist/cli/main.js', import.meta.url).pathname
const running = new Set<ChildProcess>()

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string | Uint8Array,
  wrapper?: readonly string[],
): Started {
  const program = { file: rookeryProgram, builtBy: 'npm run build' }
  const started = startProgram(program, args, { PATH: process.env.PATH ?? '', ...env }, input, wrapper)
  running.add(started.child)
  started.child.on('close', () => running.delete(started.child))
  return started
}

/** Tests do more in a minute than people in a day. */
const unlimited = Object.fromEntries(limitNames.map((name) => [`LIMIT_${name.toUpperCase()}`, 'off']))

/** Runs a command of the built program to its end with exactly this environment and input. */
export function runRookery(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string | Uint8Array,
  wrapper?: readonly string[],
): Promise<Outcome> {
  return start(args, env, input, wrapper).ended
}

/** Starts the built server on a free port and waits until it is ready. Rejects with its output if it ends before. */
export async function startRookery(
  env: Readonly<Record<string, string>>,
  wrapper?: readonly string[],
): Promise<ServerProcess> {
  const { child, output, ended } = start(['serve'], { PORT: '0', ...unlimited, ...env }, undefined, wrapper)
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', () => /^ +Stop +.*\n/m.test(output.stdout) && resolve())
  })
  const early = await Promise.race([ready, ended])
  if (early) throw new Error(`It ended with ${early.code}: ${early.stderr}`)
  const { stdout } = output
  return {
    pid: child.pid,
    stdout,
    log: () => output.stderr,
    origin: /^ +Open +(\S+)\/$/m.exec(stdout)?.[1] ?? '',
    token: /^ +Token +(rookery_[\w-]{43})$/m.exec(stdout)?.[1] ?? '',
    signal: (name) => child.kill(name),
    ended,
  }
}

/** The process ids of the workers. `ps` fails if there are none. */
export const workersOf = ({ pid }: ServerProcess) =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)

/** Stops the processes that a test left running. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL')
      return once(child, 'close')
    }),
  )
}

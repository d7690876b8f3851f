import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'

/** How a program ended. */
export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** A built program, and the command that builds it. */
export type Program = { readonly file: string; readonly builtBy: string }

/** A running program and its output so far. */
export type Started = {
  readonly child: ChildProcessWithoutNullStreams
  readonly output: Readonly<Omit<Outcome, 'code'>>
  readonly ended: Promise<Outcome>
}

/** Starts a built program with exactly this environment and input; `wrapper` is a command that runs it. */
export function startProgram(
  { file, builtBy }: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string | Uint8Array,
  wrapper: readonly string[] = [],
): Started {
  if (!existsSync(file)) throw new Error(`There is nothing to start: ${builtBy}`)
  // As the tests: see vitest.config.ts.
  const [command, ...before] = [...wrapper, process.execPath, '--liftoff-only']
  const child = spawn(command ?? process.execPath, [...before, file, ...args], { env: { ...env }, stdio: 'pipe' })
  // The program may end without reading its input.
  child.stdin.on('error', () => undefined).end(input)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then((): Outcome => ({ code: child.exitCode, ...output }))
  return { child, output, ended }
}

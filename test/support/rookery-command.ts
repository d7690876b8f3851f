import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { fail } from '../../src/cli/failure.ts'
import { createProgram } from '../../src/cli/program.ts'
import type { Outcome } from './program.ts'
import { rookeryProgram } from './rookery-process.ts'

let last: Promise<unknown> = Promise.resolve()

/** Runs a command as `runRookery` does, but in this process, which is much faster. Commands run one after the other. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string | Uint8Array = '',
): Promise<Outcome> {
  const outcome = last.then(() => run(args, env, Buffer.from(input)))
  last = outcome.catch(() => undefined)
  return outcome
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>, input: Buffer): Promise<Outcome> {
  const output = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += stripVTControlCharacters(String(text))
      return true
    }),
  )
  const { argv, env: ownEnv } = process
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) })
  process.argv = [process.execPath, rookeryProgram, ...args]
  process.env = { ...env }
  process.exitCode = 0
  try {
    await createProgram().parseAsync().catch(fail)
    return { code: Number(process.exitCode), ...output }
  } finally {
    for (const spy of spies) spy.mockRestore()
    Object.assign(process, { argv, env: ownEnv, exitCode: undefined })
    Object.defineProperty(process, 'stdin', stdin)
  }
}

import { Duplex, Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { fail } from '../../../src/cli/failure.ts'
import { createProgram } from '../../../src/cli/program.ts'
import type { Outcome } from './program.ts'
import { rookeryProgram } from './rookery-process.ts'

/** Keeps what is written to it. A duplex, as the standard streams are unless they are files. */
class KeptOutput extends Duplex {
  text = ''
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += stripVTControlCharacters(String(chunk))
    done()
  }
}

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
  const [stdout, stderr] = [new KeptOutput(), new KeptOutput()]
  const { argv, env: ownEnv } = process
  const own = Object.getOwnPropertyDescriptors(process)
  const streams = { stdin: Readable.from([input]), stdout, stderr }
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { configurable: true, value })
  process.argv = [process.execPath, rookeryProgram, ...args]
  process.env = { ...env }
  process.exitCode = 0
  try {
    await createProgram().parseAsync().catch(fail)
    return { code: Number(process.exitCode), stdout: stdout.text, stderr: stderr.text }
  } finally {
    Object.assign(process, { argv, env: ownEnv, exitCode: undefined })
    for (const name of ['stdin', 'stdout', 'stderr'] as const) Object.defineProperty(process, name, own[name])
  }
}

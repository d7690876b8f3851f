import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Outcome } from './rookery-process.ts'

/** Runs one of the built examples to its end, with nothing in its environment but this. */
export async function runExample(
  name: 'timeline' | 'paging' | 'rest',
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Outcome> {
  const file = new URL(`../../examples/dist/${name}.js`, import.meta.url).pathname
  if (!existsSync(file)) throw new Error('There is nothing to run: npm run examples')
  const child = spawn(process.execPath, [file, ...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  await once(child, 'close')
  return { code: child.exitCode, ...output }
}

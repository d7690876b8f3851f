import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Starts a program with a configuration file as its last argument, and returns what ends it. */
export function startProxy(program: string, args: readonly string[], configuration: string): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-proxy-'))
  chmodSync(folder, 0o755)
  const file = join(folder, 'configuration')
  writeFileSync(file, configuration)
  const child = spawn(program, [...args, file], { stdio: 'ignore' })
  return async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'close')
    rmSync(folder, { recursive: true })
  }
}

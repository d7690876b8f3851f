import { open } from 'node:fs/promises'
import { textOf } from '../features/base/input-rules.ts'
import { longestRules } from '../features/server-info/settings.ts'
import { ConfigError } from './config.ts'

const form = textOf(1, longestRules)

/** Reads the rules of the server; undefined without a file. Throws a `ConfigError` for a file that has none. */
export async function readRules(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const refuse = (what: string): never => {
    throw new ConfigError(`RULES_FILE is ${JSON.stringify(file)}; ${what}.`)
  }
  const bytes = await firstBytes(file).catch((error: Error) => refuse(`it cannot be read: ${error.message}`))
  if (bytes.length > longestRules) return refuse(`the file must have at most ${longestRules} bytes`)
  const text = decode(bytes) ?? refuse('the file must be UTF-8')
  const fault = form.fault?.(text)
  return fault === undefined ? text : refuse(`the file ${fault}`)
}

/** As many bytes of a file as rules may have, and one more if it is longer. */
async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a file')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestRules + 1), 0, longestRules + 1, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The text of bytes in UTF-8 without its mark; undefined if they are something else. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Option } from '@commander-js/extra-typings'
import { invalid, Refusal } from '../../errors.ts'

/** More than any password has, in UTF-16 units; what comes after that is not read. */
const longestLine = 1_000

/** Asks for a password on stdin: never on the command line, which everybody on the machine can read. */
export const passwordOption = () =>
  new Option('--password-stdin', 'read the password from the first line of stdin; otherwise one is generated')

/** A new password: from stdin, or a generated one, of 144 random bits. */
export async function readNewPassword(
  fromStdin: boolean | undefined,
): Promise<{ readonly password: string; readonly generated: boolean }> {
  if (!fromStdin) return { password: randomBytes(18).toString('base64url'), generated: true }
  return { password: process.stdin.isTTY ? await askForPassword() : await firstLine(), generated: false }
}

async function firstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n')) break
    if (text.length > longestLine) throw invalid({ field: 'password', message: 'must have 8 to 128 characters' })
  }
  return text.replace(/\r?\n.*/s, '')
}

async function askForPassword(): Promise<string> {
  process.stderr.write('Password (it is not shown): ')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // Ctrl-D closes it, and would leave the question without an answer.
  const closed = once(lines, 'close').then(() => Promise.reject(new Error('closed')))
  try {
    return await Promise.race([lines.question(''), closed])
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', 'No password was given.', { cause })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

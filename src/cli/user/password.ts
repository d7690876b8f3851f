import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Option } from '@commander-js/extra-typings'
import { invalid, Refusal } from '../../errors.ts'

/** Longer than any valid password, in bytes. Reading stops there. */
const longestLine = 1_000

const newline = 10

/** A new password. `generated` repeats it if it was generated and has to be shown. */
type NewPassword = { readonly password: string; readonly generated: string | null }

/** The `--password-stdin` option. A password never comes from the command line, which other users of the machine can read. */
export const passwordOption = () =>
  new Option('--password-stdin', 'read the password from the first line of stdin instead of generating one')

/** Reads a password from stdin, or generates one of 144 random bits. */
export async function readNewPassword(fromStdin: boolean | undefined): Promise<NewPassword> {
  if (fromStdin) return { password: process.stdin.isTTY ? await askForPassword() : await firstLine(), generated: null }
  const generated = randomBytes(18).toString('base64url')
  return { password: generated, generated }
}

/** The lines that show a generated password. */
export function passwordLines(generated: string | null): string {
  return generated === null ? '' : `\nPassword: ${generated}\nIt is not shown again.`
}

async function firstLine(): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of process.stdin) {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.includes(newline)) break
    if (bytes.length > longestLine) throw invalid({ field: 'password', message: 'must have 8 to 128 characters' })
  }
  const end = bytes.indexOf(newline)
  try {
    const line = end < 0 ? bytes : bytes.subarray(0, end)
    return new TextDecoder('utf-8', { fatal: true }).decode(line).replace(/\r$/, '')
  } catch {
    throw invalid({ field: 'password', message: 'must be UTF-8' })
  }
}

async function askForPassword(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question)
    const answer = await answers.next()
    process.stderr.write('\n')
    // Ctrl-C or Ctrl-D.
    if (answer.done) throw new Refusal('BAD_REQUEST', 'No password was given.')
    return answer.value
  }
  try {
    const password = await ask('Password (not shown): ')
    if ((await ask('Repeat the password: ')) !== password)
      throw new Refusal('BAD_REQUEST', 'The passwords do not match.')
    return password
  } finally {
    lines.close()
  }
}

import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Option } from '@commander-js/extra-typings'
import { invalid, Refusal } from '../../errors.ts'

/** More than any password has, in bytes; what comes after that is not read. */
const longestLine = 1_000

const newline = 10

/** A new password, and the same where it was generated, which has to be shown. */
type NewPassword = { readonly password: string; readonly generated: string | null }

/** Asks for a password on stdin: never on the command line, which everybody on the machine can read. */
export const passwordOption = () =>
  new Option('--password-stdin', 'read the password from the first line of stdin; otherwise one is generated')

/** A new password: from stdin, or a generated one, of 144 random bits. */
export async function readNewPassword(fromStdin: boolean | undefined): Promise<NewPassword> {
  if (fromStdin) return { password: process.stdin.isTTY ? await askForPassword() : await firstLine(), generated: null }
  const generated = randomBytes(18).toString('base64url')
  return { password: generated, generated }
}

/** What people are told of a password beside the rest: a generated one. */
export function passwordLines(generated: string | null): string {
  return generated === null ? '' : `\nPassword: ${generated}\nIt is shown this once.`
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
    // Ctrl-C and Ctrl-D end the lines.
    if (answer.done) throw new Refusal('BAD_REQUEST', 'No password was given.')
    return answer.value
  }
  try {
    const password = await ask('Password (it is not shown): ')
    if ((await ask('The same again: ')) !== password) throw new Refusal('BAD_REQUEST', 'The two passwords differ.')
    return password
  } finally {
    lines.close()
  }
}

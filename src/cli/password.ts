import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Option } from '@commander-js/extra-typings'
import { invalid, Refusal } from '../engine/errors.ts'
import { print, printSecret } from './output.ts'

/** A new password. `generated` repeats it if it was generated and has to be shown. */
type NewPassword = { readonly password: string; readonly generated: string | null }

/** The `--password-stdin` option. A password never comes from the command line, which other users of the machine can read. */
export const passwordOption = () =>
  new Option('--password-stdin', 'read the password from the first line of stdin instead of generating one')

/** Reads a password from stdin, or generates one of 144 random bits. */
export async function readNewPassword(fromStdin: boolean | undefined): Promise<NewPassword> {
  if (fromStdin) return { password: await readPassword(), generated: null }
  const generated = randomBytes(18).toString('base64url')
  return { password: generated, generated }
}

/** Prints the result of a command that set a password, with the password if it was generated. */
export async function printWithPassword(
  generated: string | null,
  username: string,
  document: object,
  text: string,
): Promise<void> {
  if (generated === null) return print(document, text)
  const advice = `The new password could not be shown. Set another one: rookery user reset-password ${username}`
  return printSecret(document, `${text}\nPassword: ${generated}\nIt will not be shown again.`, async () => `${advice}.`)
}

/** Reads a password from the first line of stdin. A terminal does not show it, and asks for it twice. */
async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine()
  // What replaces bytes that are not UTF-8.
  if (password.includes('\ufffd')) throw invalid({ field: 'password', message: 'must be UTF-8' })
  return password
}

/** The first line of stdin without a byte order mark, or the start of one that is longer than any password. */
async function firstLine(): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of process.stdin) {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.includes('\n') || bytes.length > 1_000) break
  }
  return bytes.toString().replace(/^\ufeff|\r?\n.*/gs, '')
}

async function askTwice(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question)
    const { done, value = '' } = await answers.next()
    process.stderr.write('\n')
    // Ctrl-C or Ctrl-D.
    if (done) throw new Refusal('BAD_REQUEST', 'No password was given.')
    return value
  }
  try {
    const password = await ask('Password (not shown): ')
    if ((await ask('Repeat the password: ')) === password) return password
    throw new Refusal('BAD_REQUEST', 'The passwords do not match.')
  } finally {
    lines.close()
  }
}

import { writeFileSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { styleText } from 'node:util'
import type { ListPart } from '../engine/data/list-part.ts'

/** Whether `--json` was given, even if the rest of the command line is invalid. */
export function wantsJson(): boolean {
  const end = process.argv.indexOf('--')
  return process.argv.slice(2, end < 0 ? undefined : end).includes('--json')
}

/** Thrown when output cannot be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** Writes to stdout. Rejects with an `OutputError` unless all of the text is written. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    // The stream of a file ignores that only the beginning of a text may fit on the disk.
    if (process.stdout instanceof Duplex) process.stdout.write(text, done)
    else resolve(writeFileSync(1, text))
  }).catch((cause) => {
    throw new OutputError(`The output could not be written: ${cause.message}.`, { cause })
  })
}

/** Writes to stderr. If that fails, nobody could be told. */
export function tell(text: string): void {
  try {
    process.stderr.write(text)
  } catch {}
}

/** Prints the result of a command as one JSON document, without control or bidirectional characters, or as text. */
export function print(document: object, text: string): Promise<void> {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const json = () => JSON.stringify(document, null, 2).replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, escaped)
  return write(wantsJson() ? `${json()}\n` : `${text}\n`)
}

/** Prints what a command is about to do, unless its output is JSON. Nothing depends on it. */
export function announce(text: string): void {
  if (!wantsJson()) write(`${text}\n`).catch(() => undefined)
}

/**
 * Prints a secret, which cannot be printed again. If that fails, undoes what it belongs to, and fails with the message that `undo`
 * returns.
 */
export async function printSecret(document: object, text: string, undo: () => Promise<string>): Promise<void> {
  await print(document, text).catch(async ({ message }) => {
    throw new OutputError(`${await undo()} ${message}`)
  })
}

/** User-supplied text on one line, without control or bidirectional characters that could affect the terminal. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
}

/** Formats a time in UTC to the minute; `none` stands for null. */
export function minute(time: Date | null, none = 'never'): string {
  return time === null ? none : time.toISOString().slice(0, 16).replace('T', ' ')
}

/** The lines of one object, each with a label. */
export function labelled(values: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(values).map(([label, value]) => `${label.padEnd(11)}${value}`.trimEnd())
  return lines.join('\n')
}

/** Prints one page of a list as JSON under `key`, or as a table, and the command that prints the next page. */
export function printPage<Row extends { readonly id: string }>(
  key: string,
  { rows, next }: ListPart<Row>,
  command: string,
  /** By heading. Put text whose displayed width can differ from its length in the last column. */
  columns: Readonly<Record<string, (row: Row) => string>>,
): Promise<void> {
  const cells = Object.entries(columns).map(([heading, cell]) => [heading, ...rows.map(cell)])
  const padded = cells.map((column) => {
    const width = Math.max(...column.map(({ length }) => length))
    return column.map((cell) => cell.padEnd(width))
  })
  const lines = ['', ...rows].map((_, line) =>
    padded
      .map((column) => column[line])
      .join('  ')
      .trimEnd(),
  )
  const table = lines.with(0, styled('bold', lines[0] ?? '')).join('\n')
  const more = next === null ? '' : `\n\nMore: rookery ${command} --after ${next}`
  const listed = rows.map(({ id, ...row }) => ({ uuid: id, ...row }))
  return print({ [key]: listed, next }, rows.length === 0 ? `No ${key}.` : table + more)
}

/** Styles text if stdout is a terminal and NO_COLOR is not set. */
export function styled(style: 'bold' | 'green' | 'yellow' | 'red', text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** Draws a progress bar on stderr if it is a terminal. */
export function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return
  const bar = '█'.repeat(Math.round((30 * done) / total)).padEnd(30, '░')
  process.stderr.write(`\r${bar} ${Math.floor((100 * done) / total)} % ${what.padEnd(12)}${done >= total ? '\n' : ''}`)
}

/** Keeps errors of the standard streams from ending the process. Whoever writes gets them too. */
export function ignoreStreamErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

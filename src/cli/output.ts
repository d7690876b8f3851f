import { styleText } from 'node:util'

/** Whether `--json` was given, even if the rest of the command line is invalid. */
export function wantsJson(): boolean {
  const end = process.argv.indexOf('--')
  return process.argv.slice(2, end < 0 ? undefined : end).includes('--json')
}

/** Prints the result of a command as one JSON document or as text, without control characters. */
export function printResult(document: object, text: () => string): void {
  process.stdout.write(wantsJson() ? `${jsonText(document)}\n` : `${text()}\n`)
}

function jsonText(document: object): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(document, null, 2).replace(/[\u007f-\u009f]/g, escaped)
}

/** User-supplied text on one line, without control or bidirectional characters that could affect the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Formats rows in columns under a heading. Put text whose displayed width can differ from its length in the last column. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [coloured('bold', lines[0] ?? ''), ...lines.slice(1)].join('\n')
}

/** The command that prints the next page, if there is one. */
export function nextPage(command: string, limit: number, next: string | null): string {
  return next === null ? '' : `\n\nMore: rookery ${command} --limit ${limit} --after ${next}`
}

/** Styles text if stdout is a terminal and NO_COLOR is not set. */
export function coloured(colour: 'bold' | 'green' | 'yellow' | 'red', text: string): string {
  return styleText(colour, text, { stream: process.stdout })
}

/** Formats a time in UTC to the minute; `none` stands for null. */
export function minute(time: Date | null, none: string): string {
  return time === null ? none : time.toISOString().slice(0, 16).replace('T', ' ')
}

/** Draws a progress bar on stderr if it is a terminal. */
export function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return
  const filled = Math.round((30 * done) / total)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)}`
  process.stderr.write(`\r${bar} ${Math.floor((100 * done) / total)} % ${what.padEnd(12)}${done >= total ? '\n' : ''}`)
}

/** Ignores EPIPE, so that a reader such as `head` may close the pipe early. */
export function allowClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

import { styleText } from 'node:util'

/** Whether the result is asked for as JSON, also when the rest of the command line is wrong. */
export function wantsJson(): boolean {
  const end = process.argv.indexOf('--')
  return process.argv.slice(2, end < 0 ? undefined : end).includes('--json')
}

/** Prints the result of a command: one JSON document, or text for people. Neither carries control characters to a terminal. */
export function printResult(document: object, text: () => string): void {
  process.stdout.write(wantsJson() ? `${jsonText(document)}\n` : `${text()}\n`)
}

function jsonText(document: object): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(document, null, 2).replace(/[\u007f-\u009f]/g, escaped)
}

/** Text that somebody else wrote, on one line and without what would steer a terminal or turn the line around. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Rows under a heading, in columns. The last one may hold text of any width. */
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

/** What stands under a page of a list: the command for the next one, if there is one. */
export function nextPage(command: string, limit: number, next: string | null): string {
  return next === null ? '' : `\n\nMore: rookery ${command} --limit ${limit} --after ${next}`
}

/** Text of one colour where stdout is a terminal, unless NO_COLOR is set. */
export function coloured(colour: 'bold' | 'green' | 'yellow' | 'red', text: string): string {
  return styleText(colour, text, { stream: process.stdout })
}

/** A time in UTC to the minute, or what stands for none. */
export function minute(time: Date | null, none: string): string {
  return time === null ? none : time.toISOString().slice(0, 16).replace('T', ' ')
}

/** Draws on stderr how far something has got, where somebody watches. */
export function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return
  const filled = Math.round((30 * done) / total)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)}`
  process.stderr.write(`\r${bar} ${Math.floor((100 * done) / total)} % ${what.padEnd(12)}${done >= total ? '\n' : ''}`)
}

/** Whoever reads the output may have read enough of it, as `head` does: that is no error. */
export function allowClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

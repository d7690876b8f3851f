import { styleText } from 'node:util'

const { stdout } = process

/** The width of the output in columns: that of the terminal, between 40 and 88. */
export const columns = Math.min(Math.max(stdout.columns || 80, 40), 88)

/** Text in a style, if the output is a terminal that supports it. */
export function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return stdout.isTTY && stdout.hasColors() ? styleText(style, text) : text
}

/** Text of a user as one line, without control characters, which could control the terminal or reverse the line. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim()
}

/** The beginning of a text, in at most this many columns. */
export function beginning(text: string, width: number): string {
  const characters = [...plain(text)]
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : characters.join('')
}

/** A text in lines of at most this many columns, broken between words. */
export function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of plain(text).split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line && [...line, ...word].length >= width) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago a time was, such as `3 hours ago`. */
export function ago(moment: string): string {
  const seconds = (Date.parse(moment) - Date.now()) / 1000
  const [unit, size] = units.find(([, length]) => -seconds >= length) ?? ['second', 1]
  return relative.format(Math.min(0, Math.ceil(seconds / size)), unit)
}

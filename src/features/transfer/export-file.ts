import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { counted } from '../../engine/counted.ts'
import { invalid } from '../../engine/errors.ts'
import type { NumberedLine, ReadableExport } from './import.ts'
import { exportLine, header as headerLine, type Line } from './lines.ts'

/** The longest line, in bytes. */
const longestLine = 64 * 1024

/** Reads an export from a file, and checks all of it. Throws `VALIDATION_FAILED` for the first line that is invalid. */
export async function readExport(file: string): Promise<ReadableExport> {
  const { isFile } = await stat(file).then(
    (found) => ({ isFile: found.isFile() }),
    ({ code }) => {
      throw invalid({ field: file, message: `cannot be read (${code})` })
    },
  )
  // It is read again.
  if (!isFile) throw invalid({ field: file, message: 'must be a file' })
  let header: Line<'header'> | undefined
  let profile: Line<'profile'> | undefined
  let end: Line<'end'> | undefined
  let last = 0
  for await (const { number, line } of linesOf(file)) {
    const refuse = (message: string) => invalid({ field: `line ${number} of ${file}`, message })
    if (end) throw refuse('follows the end')
    if ((line.type === 'header') !== (number === 1)) throw refuse('must be the header if, and only if, it is the first')
    if ((line.type === 'profile') !== (number === 2))
      throw refuse('must be the profile if, and only if, it is the second')
    if (line.type === 'header') header = line
    if (line.type === 'profile') profile = line
    if (line.type === 'end') end = line
    last = number
  }
  if (!header || !profile || !end)
    throw invalid({ field: file, message: 'is incomplete: resume the export after the cursor of its last line' })
  if (end.lines !== last)
    throw invalid({ field: file, message: `has ${counted(last, 'line')}, and ${end.lines} according to the last one` })
  return { header, profile, lines: () => linesOf(file) }
}

/** The lines of a file, without those that are empty, and without byte order marks. Throws `VALIDATION_FAILED` for an invalid one. */
async function* linesOf(file: string): AsyncGenerator<NumberedLine, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 0
  for await (const bytes of splitLines(createReadStream(file))) {
    // Editors add empty lines.
    if (/^\r?$/.test(bytes.toString('latin1', 0, 2))) continue
    number += 1
    const format = number === 1 ? otherFormats.get(bytes.toString('hex', 0, 2)) : undefined
    if (format) throw invalid({ field: file, message: `is ${format}: convert it to lines of JSON in UTF-8` })
    const refuse = (message: string) => invalid({ field: `line ${number} of ${file}`, message })
    if (bytes.length > longestLine) throw refuse(`must have at most ${longestLine} bytes`)
    yield { number, line: parsed(() => decoder.decode(bytes), refuse) }
  }
}

/** The formats that files are saved in instead, by their first bytes (RFC 1952, section 2.3.1; the byte order marks of Unicode). */
const otherFormats: ReadonlyMap<string, string> = new Map([
  ['1f8b', 'compressed with gzip'],
  ['fffe', 'UTF-16'],
  ['feff', 'UTF-16'],
])

function parsed(text: () => string, refuse: (message: string) => Error): Line {
  let json: unknown
  try {
    json = JSON.parse(text())
  } catch {
    throw refuse('must be JSON in UTF-8. If it is the last one, the export was cut off: remove the line, and resume it')
  }
  const version = headerLine.pick({ type: true, version: true }).safeParse(json)
  if (!version.success && Object(json).type === 'header') throw refuse('has a version that this Rookery does not know')
  const { data, error } = exportLine.safeParse(json)
  if (data) return data
  const [issue] = error.issues
  throw refuse(`is not a line of an export: ${issue?.path.join('.')} ${issue?.message}`)
}

/** The lines of a stream, or the start of one that is too long. */
async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([rest, chunk.subarray(start, end)])
      rest = Buffer.alloc(0)
      start = end + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > longestLine) break
  }
  if (rest.length > 0) yield rest
}

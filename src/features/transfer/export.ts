import { hash } from 'node:crypto'
import { NIL as nil } from 'uuid'
import { prices } from '../../engine/compiler/cost.ts'
import { objectOf } from '../../engine/compiler/json.ts'
import { all, sql } from '../../engine/compiler/sql.ts'
import type { CompiledRead, TextRow } from '../../engine/data/backend.ts'
import { invalid } from '../../engine/errors.ts'
import { column, entriesOf, exportCursor, exportLines, row, sourcesOf } from './lines.ts'

/** How many lines a page has at most: about 0.5 MB of the longest texts. */
export const linesAtOnce = 200

/** What a page costs in points. */
export const exportPagePrice = prices.statement + linesAtOnce * (prices.object + prices.longText)

/**
 * The statements that read the lines, in the order of the export, with their types. Cursors have their numbers. The account is the first
 * parameter, and the key after which they read is the second.
 */
const sections = exportLines.flatMap((line) =>
  sourcesOf(line).map(({ table, owner, where }) => {
    const isAfter = sql`${column(owner)} = $1::uuid and ${row}.id > $2::uuid`
    const { text } = sql`select ${row}.id::text as key, ${objectOf(entriesOf(line))}::text as line
      from ${sql.identifier(table)} ${row} where ${all(isAfter, where)} order by ${row}.id limit ${linesAtOnce}`
    return { type: line.shape.type.value, text }
  }),
)

/** A position in an export: how many lines come before it, and the section and the key after which it continues. */
type ExportPosition = { readonly lines: number; readonly section: number; readonly key: string }

/** What tells the cursors of an account from others, and from those of versions with other sections. */
const seal = (account: string, position: Buffer): Buffer =>
  hash(
    'sha256',
    `${account} ${sections.map(({ type }) => type).join()} ${position.toString('hex')}`,
    'buffer',
  ).subarray(0, 6)

/** The opaque cursor of a line. */
function cursorAt(account: string, { lines, section, key }: ExportPosition): string {
  const start = Buffer.alloc(5)
  start.writeUInt32BE(lines)
  start.writeUInt8(section, 4)
  const position = Buffer.concat([start, Buffer.from(key.replaceAll('-', ''), 'hex')])
  return Buffer.concat([position, seal(account, position)]).toString('base64url')
}

/**
 * The position after the line with this cursor. Throws `VALIDATION_FAILED` if the account has no such line: it would be read as the
 * end.
 */
function positionAfter(account: string, cursor: string): ExportPosition {
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(0, 21)
  if (!exportCursor.test(cursor) || !bytes.subarray(21).equals(seal(account, position)))
    throw invalid({ field: 'after', message: 'must be the cursor of a line of this export' })
  const key = position.toString('hex', 5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { lines: position.readUInt32BE(), section: position.readUInt8(4), key }
}

/** Escapes what JSON allows in strings, but many programs take for the end of a line. */
function escapeLineBreaks(json: string): string {
  return json.replaceAll(/[\u0085\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * The lines of the export of an account after a cursor, one page at a time. Each is read after the key of the last line, so what exists
 * throughout is there once. Throws `VALIDATION_FAILED` for the cursor.
 */
export async function* exportPages(
  account: string,
  after: string | undefined,
  read: (page: CompiledRead) => Promise<readonly TextRow[]>,
): AsyncGenerator<string, undefined> {
  const start = after === undefined ? { lines: 0, section: 0, key: nil } : positionAfter(account, after)
  let { lines, section, key } = start
  const lineOf = (type: string, rest: string) => {
    lines += 1
    return `{"type":"${type}","cursor":"${cursorAt(account, { lines, section, key })}",${escapeLineBreaks(rest)}}\n`
  }
  for (const { type, text } of sections.slice(section)) {
    for (let isMore = true; isMore; ) {
      const rows = await read({ text, values: [account, key], preparation: 'repeated', isCheap: false })
      isMore = rows.length === linesAtOnce
      const page = rows.map((found) => {
        key = found.key ?? nil
        return lineOf(type, found.line?.slice(1, -1) ?? '')
      })
      if (page.length > 0) yield page.join('')
    }
    section += 1
    key = nil
  }
  if (start.section < sections.length) yield lineOf('end', `"lines":${lines + 1}`)
}

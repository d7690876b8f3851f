import { NIL as nil } from 'uuid'
import type { CompiledRead, TextRow } from '../data/backend.ts'
import { blocks, bookmarks, type Edge, follows, likes, mutes } from '../domain/edges.ts'
import { exportCursor, exportVersion, type LineType } from '../domain/export-lines.ts'
import { invalid } from '../errors.ts'
import { version } from '../version.ts'
import { prices } from './cost.ts'
import { type Entry, objectOf, timeOf } from './json.ts'
import { all, type Sql, sql } from './sql.ts'

/** How many lines a page has at most: about 0.5 MB of the longest texts. */
export const linesAtOnce = 200

/** What a page costs in points. */
export const exportPagePrice = prices.statement + linesAtOnce * (prices.object + prices.longText)

/** The lines of one type, which a statement reads after a key, in the order of their keys. */
type Section = { readonly type: LineType; readonly text: string }

const row = sql`t`
const column = (name: string) => sql`${row}.${sql.identifier(name)}`

/** The account is the first parameter, and the key is the second. */
function section(type: LineType, table: string, owner: string, entries: readonly Entry[], ...where: Sql[]): Section {
  const isAfter = sql`${column(owner)} = $1::uuid and ${row}.id > $2::uuid`
  const { text } = sql`select ${row}.id::text as key, ${objectOf(entries)}::text as line
    from ${sql.identifier(table)} ${row} where ${all(isAfter, ...where)} order by ${row}.id limit ${linesAtOnce}`
  return { type, text }
}

const publications = (...where: Sql[]) =>
  section('publication', 'live_publications', 'author_id', publicationEntries, ...where)

const publicationEntries: readonly Entry[] = [
  ['uuid', column('id')],
  ['parent', column('parent_id')],
  ['content', column('content')],
  ['from', column('application_id')],
  ['locked', column('locked')],
  ['created_at', timeOf(column('created_at'))],
  ['edited_at', timeOf(column('edited_at'))],
]

function edge(type: LineType, { table, from, to, noun, mayEnd }: Edge): Section {
  const object = column(`${to}_id`)
  const isLive = sql`exists (select from live_publications p where p.id = ${object}
    and not exists (select from departures d where d.user_id = p.author_id))`
  const isThere = sql`not exists (select from departures d where d.user_id = ${object})`
  const user = sql`(select ${objectOf([
    ['uuid', sql`u.id`],
    ['username', sql`u.username`],
  ])} from users u where u.id = ${object})`
  const entries: Entry[] = [['id', column('id')], noun === 'user' ? ['user', user] : ['publication', object]]
  if (mayEnd) entries.push(['until', timeOf(column('until'))])
  const conditions = [
    noun === 'user' ? isThere : isLive,
    ...(mayEnd ? [sql`(${column('until')} is null or ${column('until')} > now())`] : []),
  ]
  return section(type, table, `${from}_id`, entries, ...conditions)
}

const badges = sql`(select coalesce(json_agg(b.name order by b.name), '[]')
  from user_badges own join badges b on b.id = own.badge_id where own.user_id = ${row}.id)`

/** In the order of the export. Cursors have their numbers. */
const sections: readonly Section[] = [
  section('header', 'users', 'id', [
    ['version', sql`${exportVersion}`],
    [
      'server',
      objectOf([
        ['name', sql`'Rookery'`],
        ['version', sql.literal(version)],
      ]),
    ],
    [
      'account',
      objectOf([
        ['uuid', column('id')],
        ['username', column('username')],
        ['email_verified', column('email_verified')],
        ['badges', badges],
        ['joined_at', timeOf(column('joined_at'))],
      ]),
    ],
  ]),
  section('profile', 'users', 'id', [
    ['display_name', column('display_name')],
    ['bio', column('bio')],
    ['email', column('email')],
  ]),
  section('application', 'applications', 'owner_id', [
    ['uuid', column('id')],
    ['name', column('name')],
    ['website', column('website')],
    ['created_at', timeOf(column('created_at'))],
  ]),
  publications(sql`${column('parent_id')} is null`),
  publications(sql`${column('parent_id')} is not null`),
  edge('like', likes),
  edge('bookmark', bookmarks),
  edge('follow', follows),
  edge('block', blocks),
  edge('mute', mutes),
  section(
    'token',
    'access_tokens',
    'user_id',
    [
      ['name', column('name')],
      ['scopes', column('scopes')],
      ['application', column('application_id')],
      ['created_at', timeOf(column('created_at'))],
      ['expires_at', timeOf(column('expires_at'))],
      ['last_used_at', timeOf(column('last_used_at'))],
    ],
    sql`(${column('expires_at')} is null or ${column('expires_at')} > now())`,
  ),
]

/** A place in an export: how many lines come before it, and the section and the key after which it continues. */
type Place = { readonly lines: number; readonly section: number; readonly key: string }

/** The opaque cursor of a line. */
function cursorAt({ lines, section, key }: Place): string {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(lines)
  bytes.writeUInt8(section, 4)
  return Buffer.concat([bytes, Buffer.from(key.replaceAll('-', ''), 'hex')]).toString('base64url')
}

/** The place after the line with this cursor. Throws `VALIDATION_FAILED` if it is not one. */
function placeAfter(cursor: string): Place {
  if (!exportCursor.test(cursor)) throw invalid({ field: 'after', message: 'must be the cursor of a line' })
  const bytes = Buffer.from(cursor, 'base64url')
  const key = bytes.toString('hex', 5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { lines: bytes.readUInt32BE(), section: bytes.readUInt8(4), key }
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
  const start = after === undefined ? { lines: 0, section: 0, key: nil } : placeAfter(after)
  let { lines, section, key } = start
  const lineOf = (type: LineType, rest: string) => {
    lines += 1
    return `{"type":"${type}","cursor":"${cursorAt({ lines, section, key })}",${rest}}\n`
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

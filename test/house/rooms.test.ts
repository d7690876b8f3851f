import { describe, expect, test } from 'vitest'
import { onPostgres } from '../support/database.ts'
import { type Import, importsOf, sourceFiles } from '../support/source-files.ts'

/** From top to bottom; imports only go down. */
const rooms = ['cli', 'server', 'rest', 'execution', 'schema', 'reads', 'domain', 'data', 'common'] as const
type Room = (typeof rooms)[number]

const common = new Set(['src/config.ts', 'src/database-url.ts', 'src/errors.ts', 'src/scopes.ts', 'src/log.ts'])

const graphql = /^(?:graphql|graphql-.*|@graphql-.*|@pothos\/.*|dataloader)$/
const http = /^(?:node:)?https?$|^graphql-yoga$|^@graphql-yoga\//
const database = /^(?:pg|@prisma\/.*|@electric-sql\/.*|pglite-.*)$|^src\/data\//

/** What the imports of a room must not match. */
const unknown: Partial<Record<Room, readonly RegExp[]>> = {
  rest: [database],
  execution: [http],
  schema: [http],
  reads: [http, /^@pothos\//],
  domain: [http, graphql],
  data: [http, graphql],
}

function roomOf(path: string): Room | 'none' {
  if (common.has(path)) return 'common'
  return rooms.find((room) => path.startsWith(`src/${room}/`)) ?? 'none'
}

const files = sourceFiles('src')
const imports = files.flatMap(importsOf)
const inWords = ({ from, to }: Import) => `${from} imports ${to}`

/** A way from a file back to itself along imports that remain at run time. */
function cycleFrom(start: string, next: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const trail = new Map<string, string>()
  const queue = [start]
  for (const file of queue) {
    for (const to of next.get(file) ?? []) {
      if (!trail.has(to)) {
        trail.set(to, file)
        queue.push(to)
      }
    }
  }
  if (!trail.has(start)) return undefined
  const cycle = [start]
  do cycle.unshift(trail.get(cycle[0] ?? start) ?? start)
  while (cycle[0] !== start)
  return cycle
}

describe.skipIf(onPostgres)('the source', () => {
  test('is all in a room', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(files.filter((file) => roomOf(file) === 'none')).toEqual([])
  })

  test('imports only down the list of rooms', () => {
    const inner = imports.filter(({ isRelative }) => isRelative)
    expect(inner.length).toBeGreaterThan(200)
    const level = (path: string) => [...rooms, 'none'].indexOf(roomOf(path))
    expect(inner.filter(({ from, to }) => level(to) < level(from)).map(inWords)).toEqual([])
  })

  test('knows nothing of what its room has no business with', () => {
    const wrong = imports.filter(({ from, to }) => {
      const room = roomOf(from)
      return room !== 'none' && unknown[room]?.some((pattern) => pattern.test(to))
    })
    expect(wrong.map(inWords)).toEqual([])
  })

  test('has no cycle of files, but of types', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, isRelative, isTypeOnly } of imports) {
      if (isRelative && !isTypeOnly) next.set(from, [...(next.get(from) ?? []), to])
    }
    expect(files.flatMap((file) => cycleFrom(file, next)?.join(' → ') ?? [])).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { type Import, importsOf, sourceFiles, textOf } from '../support/project/source-files.ts'

/** The folders of the source, from top to bottom. Imports only point down. */
const layers = [
  'cli',
  'server',
  'browser',
  'packaging',
  'features/demo',
  'features/transfer',
  'features/approval',
  'features/deletion',
  'features/invitations',
  'features/moderation',
  'features/applications',
  'features/changes',
  'features/search',
  'features/notifications',
  'features/timelines',
  'features/follow-requests',
  'features/relations',
  'features/posts',
  'features/server-info',
  'features/limits',
  'features/accounts',
  'features/mail',
  'features/visibility',
  'features/base',
  'engine/mcp',
  'engine/graphql',
  'engine/rest',
  'engine/http',
  'engine/execution',
  'engine/schema',
  'engine/compiler',
  'engine/auth',
  'engine/jobs',
  'engine/data',
  'engine/text',
  'engine',
] as const
type Layer = (typeof layers)[number]

const graphql = /^(?:graphql|graphql-.*|@graphql-.*|@pothos\/.*)$/
const http = /^(?:node:)?https?$/
const driver = /^(?:pg|@prisma\/.*|@electric-sql\/.*|pglite-.*)$/
const database = /^src\/engine\/data\//

/** The imports that a layer must not have. */
const forbidden: Partial<Record<Layer, readonly RegExp[]>> = {
  // It runs in browsers, so it takes nothing but types from the project.
  browser: [driver, database, /^node:/, /^src\/(?!browser\/|engine\/rest\/generated\/)/],
  'features/transfer': [http, graphql],
  'features/demo': [http, graphql],
  'features/mail': [http, graphql],
  'features/visibility': [http, graphql],
  'features/base': [http],
  'engine/mcp': [driver, database],
  'engine/graphql': [driver],
  'engine/rest': [driver, database],
  'engine/http': [driver, graphql],
  'engine/execution': [http],
  'engine/schema': [http],
  'engine/compiler': [http],
  'engine/auth': [http, graphql],
  'engine/jobs': [http, graphql],
  'engine/data': [http, graphql],
}

function layerOf(path: string): Layer | 'none' {
  return layers.find((layer) => path.startsWith(`src/${layer}/`)) ?? 'none'
}

const files = sourceFiles('src')
const imports = files.flatMap(importsOf)
const describeImport = ({ from, to }: Import) => `${from} imports ${to}`

/** A cycle of imports that contains the file. */
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

describe('the source code', () => {
  test('belongs to a layer', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(files.filter((file) => layerOf(file) === 'none')).toEqual([])
  })

  test('is imported, except for what starts by itself', () => {
    const imported = new Set(imports.map(({ to }) => to))
    expect(files.filter((file) => !imported.has(file))).toEqual([
      ...[
        'about.ts',
        'callback.ts',
        'docs.ts',
        'graphiql.tsx',
        'landing.ts',
        'passkey.ts',
        'problem.ts',
        'timeline.ts',
      ].map((page) => `src/browser/${page}`),
      'src/cli/main.ts',
      'src/engine/data/embedded/worker.ts',
      'src/engine/data/embedded/write-prebuilt-cluster.ts',
      'src/features/applications/oauth/oidc-provider.d.ts',
    ])
  })

  test('imports only from the same layer or a lower one', () => {
    const inner = imports.filter(({ isRelative }) => isRelative)
    expect(inner.length).toBeGreaterThan(200)
    const level = (path: string) => [...layers, 'none'].indexOf(layerOf(path))
    expect(inner.filter(({ from, to }) => level(to) < level(from)).map(describeImport)).toEqual([])
  })

  test('does not import what its layer must not know', () => {
    const wrong = imports.filter(({ from, to }) => {
      const layer = layerOf(from)
      return layer !== 'none' && forbidden[layer]?.some((pattern) => pattern.test(to))
    })
    expect(wrong.map(describeImport)).toEqual([])
  })

  test('has a compiler that knows nothing of Rookery but the type of a connection', () => {
    const isOfCompiler = (path: string) => layerOf(path) === 'engine/compiler'
    const others = imports.filter(({ from, to, isRelative }) => isOfCompiler(from) && isRelative && !isOfCompiler(to))
    expect(others.filter(({ isTypeOnly }) => !isTypeOnly).map(describeImport)).toEqual([])
    expect(new Set(others.map(({ to }) => to))).toEqual(new Set(['src/engine/data/backend.ts']))
    const users = imports.filter(({ from, to }) => isOfCompiler(from) && /^@pothos\//.test(to)).map(({ from }) => from)
    expect(users).toEqual(['src/engine/compiler/read-plugin.ts'])
  })

  test('loads the seed layer only when something is seeded', () => {
    const isSeed = (path: string) => path.startsWith('src/features/demo/') && !path.endsWith('/demo-token.ts')
    const loaded = imports.filter(({ from, to, isTypeOnly, isDynamic }) => {
      const remains = !isTypeOnly && !isDynamic
      return remains && isSeed(to) && !isSeed(from)
    })
    // Only the sizes, which the command line offers as its defaults.
    expect(loaded.map(describeImport)).toEqual([
      'src/cli/migrate-and-seed.ts imports src/features/demo/seed-options.ts',
    ])
  })

  test('opens connections to the database, to itself, and for metadata of applications only', () => {
    const outgoing =
      /(?<![.\w])fetch\(|^import (?!type)[^;]*?\b(?:connect|request|get|Socket|Agent)\b[^;]*? from 'node:(?:net|tls|https?|http2|dgram)'/m
    const openers = files.filter((path) => layerOf(path) !== 'browser' && outgoing.test(textOf(path)))
    expect(openers).toEqual([
      'src/engine/data/embedded/folder-lock.ts',
      // A socket that is never connected.
      'src/features/applications/oauth/provider-request.ts',
      // Metadata of applications, from addresses that it checks.
      'src/features/applications/oauth/safe-fetch.ts',
    ])
  })

  test('has no import cycle, not even of types', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, isRelative } of imports) {
      if (isRelative) next.set(from, [...(next.get(from) ?? []), to])
    }
    expect(files.flatMap((file) => cycleFrom(file, next)?.join(' → ') ?? [])).toEqual([])
  })
})

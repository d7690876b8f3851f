import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Runtime, root } from '../runtimes.ts'
import type { Kind, Server } from './server.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const scripts: Readonly<Record<Kind, { script: string; args?: readonly string[]; setUp: string }>> = {
  floor: {
    script: here('floor.js'),
    setUp:
      'node:http and pg, one hand-written named statement for each work, its JSON passed through unparsed. No GraphQL, no tokens: the viewer is a header',
  },
  rookery: {
    script: join(root, 'dist/cli/main.js'),
    args: ['serve'],
    setUp: '`rookery serve` as shipped: bearer tokens, scopes, limits, masking and logging on',
  },
  'postgraphile-settings': {
    script: here('postgraphile.ts'),
    args: ['settings'],
    setUp:
      'Amber preset, production mode, prepared statements, output as string; the viewer through `pgSettings`, so each request is a transaction; the viewer’s flags as computed column functions. The viewer is a header',
  },
  'postgraphile-argument': {
    script: here('postgraphile.ts'),
    args: ['argument'],
    setUp:
      'the same, but the viewer is a parameter of the statements: no transaction for a query, the viewer’s flags planned into the statement by `extendSchema`. The viewer is a header',
  },
  mercurius: {
    script: here('mercurius.ts'),
    setUp:
      'on Fastify, JIT from the first request on, a loader for each nested field, pg with named statements. The viewer is a header',
  },
  apollo: {
    script: here('apollo.ts'),
    setUp:
      'standalone server, Prisma Client in each field: `findUnique` for one row, which Prisma batches by itself, `findMany` for lists, which it would batch without their limits. The viewer is a header',
  },
}

/** All servers: the floor and Rookery on each Node.js, their peers on the newest. */
export function allServers(runtimes: readonly Runtime[]): Server[] {
  const [newest] = [...runtimes].sort((one, other) => other.major - one.major)
  const server = (kind: Kind, runtime: Runtime, name: string): Server => ({
    name,
    kind,
    runtime,
    args: [],
    ...scripts[kind],
  })
  const versioned = (['floor', 'rookery'] as const).flatMap((kind) =>
    runtimes.map((runtime) => server(kind, runtime, `${kind}-node${runtime.major}`)),
  )
  if (!newest) return versioned
  const peers = (['postgraphile-settings', 'postgraphile-argument', 'mercurius', 'apollo'] as const).map((kind) =>
    server(kind, newest, kind),
  )
  return [...versioned, ...peers]
}

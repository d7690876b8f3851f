import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestOf, type Runtime, root } from '../runtimes.ts'
import type { Kind, Server } from './server.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const program = 'dist/cli/main.js'

/** The heap of Rookery where it has to do with little memory, in MiB. */
export const smallHeap = 256

const scripts: Readonly<Record<Kind, { script: string; args?: readonly string[]; setUp: string }>> = {
  floor: {
    script: here('floor.js'),
    setUp:
      'node:http and pg, one hand-written named statement for each work, its JSON passed through unparsed. No GraphQL, no tokens: the viewer is a header',
  },
  rookery: {
    script: join(root, program),
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

function server(kind: Kind, runtime: Runtime, name: string): Server {
  return { name, kind, runtime, args: [], ...scripts[kind] }
}

/** Rookery, of this checkout or as it was built in another folder. */
export function rookery(runtime: Runtime, name: string, folder = root): Server {
  return { ...server('rookery', runtime, name), script: join(resolve(folder), program) }
}

/** Rookery whose statements never run together, to see what batches gain. */
export function unbatched(runtime: Runtime): Server {
  const script = here('rookery-unbatched.ts')
  const setUp = 'the same without batches: each statement runs alone'
  return { ...server('rookery', runtime, 'unbatched'), script, args: [], setUp }
}

/** A server with a heap of 256 MiB. */
export function withSmallHeap(server: Server): Server {
  return {
    ...server,
    flags: [`--max-old-space-size=${smallHeap}`],
    setUp: `${server.setUp}; a heap of ${smallHeap} MiB`,
  }
}

/** The servers of the comparison at several numbers of connections. */
export function comparedServers(runtime: Runtime): Server[] {
  return [
    server('floor', runtime, 'floor'),
    withSmallHeap(rookery(runtime, 'rookery')),
    withSmallHeap(unbatched(runtime)),
  ]
}

/** All servers: the floor and Rookery on each Node.js, their peers on the newest, and Rookery of the folder `before`, if any. */
export function allServers(runtimes: readonly Runtime[], before: string): Server[] {
  const newest = newestOf(runtimes)
  const versioned = (['floor', 'rookery'] as const).flatMap((kind) =>
    runtimes.map((runtime) => server(kind, runtime, `${kind}-node${runtime.major}`)),
  )
  const peers = (['postgraphile-settings', 'postgraphile-argument', 'mercurius', 'apollo'] as const).map((kind) =>
    server(kind, newest, kind),
  )
  return [...versioned, ...peers, ...(before === '' ? [] : [rookery(newest, 'before', before)])]
}

import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../database/create.ts'
import type { Kind, Server } from './server.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const program = 'dist/cli/main.js'

const scripts: Readonly<Record<Kind, { script: string; args?: readonly string[]; setUp: string }>> = {
  floor: {
    script: here('floor.js'),
    setUp:
      'node:http and pg, one hand-written named statement for each work, its JSON passed through unparsed. ' +
      'No GraphQL, no tokens: the viewer is a header',
  },
  duties: {
    script: here('duties.ts'),
    setUp:
      'the same statements on Fastify, with what a public server has to do besides: a bearer token, a ' +
      'slot, a deadline, an id, a log line, headers and an entity tag for each request',
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
      'Amber preset, production mode, prepared statements, output as string; the viewer through ' +
      '`pgSettings`, so each request is a transaction; the viewer’s flags as computed column functions. ' +
      'The viewer is a header',
  },
  'postgraphile-argument': {
    script: here('postgraphile.ts'),
    args: ['argument'],
    setUp:
      'the same, but the viewer is a parameter of the statements: no transaction for a query, the viewer’s ' +
      'flags planned into the statement by `extendSchema`. The viewer is a header',
  },
  mercurius: {
    script: here('mercurius.ts'),
    setUp:
      'on Fastify, JIT from the first request on, a loader for each nested field, pg with named statements. The viewer is a header',
  },
  apollo: {
    script: here('apollo.ts'),
    setUp:
      'standalone server, Prisma Client in each field: `findUnique` for one row, which Prisma batches by ' +
      'itself, `findMany` for lists, which it would batch without their limits; its posts are stored ' +
      'without their words for searches. The viewer is a header',
  },
}

function server(kind: Kind): Server {
  return { name: kind, kind, args: [], ...scripts[kind] }
}

/** Rookery, of this checkout or as it was built in another folder. */
export function rookery(name: string, folder = root): Server {
  return { ...server('rookery'), name, script: join(resolve(folder), program) }
}

/** The floor without and with duties, Rookery, its peers, and Rookery of the folder `before`, if any. */
export function allServers(before: string): Server[] {
  const kinds: readonly Kind[] = [
    'floor',
    'duties',
    'rookery',
    'postgraphile-settings',
    'postgraphile-argument',
    'mercurius',
    'apollo',
  ]
  return [...kinds.map(server), ...(before === '' ? [] : [rookery('before', before)])]
}

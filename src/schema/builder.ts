import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../data/generated/pothos.ts'
import { getDatamodel } from '../data/generated/pothos.ts'
import { cursorLength } from '../reads/cursor.ts'
import { typeKey } from '../reads/statement.ts'
import type { Context } from './context.ts'
import { asciiOf } from './cost.ts'
import { dateTimeScalar, emailScalar, urlScalar, uuidScalar } from './scalars.ts'

/** What the builder knows of types that are not defined by it. */
type SchemaTypes = {
  Context: Context
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Connection: { totalCount: number | null }
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date | string }
    UUID: { Input: string; Output: string }
    URL: { Input: URL; Output: string }
    EmailAddress: { Input: string; Output: string }
  }
}

const cursor = asciiOf(cursorLength)

/** The one builder of the schema. It defines no types but the scalars: each type's file does. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: ({ database }) => database.read, dmmf: getDatamodel(), onUnusedQuery: null },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'Whatever can be asked for again by its global id (GraphQL Global Object Identification).',
      resolveType: (row) => String(Reflect.get(Object(row), typeKey)),
    },
    idFieldOptions: { description: 'Global id, for `node`. It is opaque.' },
    pageInfoTypeOptions: {
      description: 'Where a page stands in its list (Relay Cursor Connections Specification, section 5).',
    },
    hasNextPageFieldOptions: { description: 'Whether more follow. Paging backward, whether a `before` was given.' },
    hasPreviousPageFieldOptions: {
      description: 'Whether there are some before. Paging forward, whether an `after` or an `offset` was given.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first edge; null on an empty page.', ...cursor },
    endCursorFieldOptions: { description: 'Cursor of the last edge; null on an empty page.', ...cursor },
    cursorFieldOptions: {
      description: 'Where the node stands in this list: for `after` and `before`. It is opaque.',
      ...cursor,
    },
    nodeFieldOptions: { nullable: false, description: 'What the edge leads to.' },
    edgesFieldOptions: { nullable: { list: false, items: false }, description: 'The page, each node with its cursor.' },
    nodesOnConnection: { description: 'The page, without cursors.' },
    pageInfoFieldOptions: { description: 'Where this page stands in the list.' },
    firstArgOptions: { description: 'How many from the front, 0 to 100; 20 when neither this nor `last` is given.' },
    lastArgOptions: {
      description: 'How many from the back, 0 to 100; not together with `first`.',
      // It turns the direction of the page.
      extensions: { switches: true },
    },
    afterArgOptions: { description: 'Only what comes after this cursor.' },
    beforeArgOptions: { description: 'Only what comes before this cursor.' },
  },
})

builder.addScalarType('UUID', uuidScalar)
builder.addScalarType('DateTime', dateTimeScalar)
builder.addScalarType('URL', urlScalar)
builder.addScalarType('EmailAddress', emailScalar)

builder.queryType({ description: 'The reads. Every field needs a bearer token.' })
builder.mutationType({
  description: 'The writes. Every field but `signUp` and `signIn` needs a bearer token.',
})

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: true,
    description: 'How many there are in the whole list, from a stored counter; null for lists that have none.',
    resolve: ({ totalCount }) => totalCount,
  }),
)

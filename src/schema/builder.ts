import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../data/generated/pothos.ts'
import { getDatamodel } from '../data/generated/pothos.ts'
import type { Publication } from '../data/generated/prisma/client.ts'
import { pageSize } from '../page-size.ts'
import { typeKey } from '../reads/sql-compiler.ts'
import type { Context } from './context.ts'
import { permissionPlugin } from './permission-plugin.ts'
import { readPlugin } from './read-plugin.ts'
import { dateTimeScalar, emailScalar, urlScalar, uuidScalar } from './scalars.ts'

/** The types that the builder does not define itself. */
type SchemaTypes = {
  Context: Context
  PrismaTypes: PrismaTypes
  InferredFieldOptionsKind: 'ReadOrResolve'
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Connection: { totalCount: number | null; places?: readonly Publication[] }
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date | string }
    UUID: { Input: string; Output: string }
    URL: { Input: URL; Output: string }
    EmailAddress: { Input: string; Output: string }
  }
}

const partOfPage = { extensions: { isPartOfPage: true } }

/** The builder of the schema. It defines the scalars; all other types have files of their own. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [readPlugin, permissionPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: ({ database }) => database.write.prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'An object with a global id (GraphQL Global Object Identification).',
      resolveType: (row) => String(Reflect.get(Object(row), typeKey)),
    },
    idFieldOptions: { description: 'Opaque global id, for `node`.' },
    defaultConnectionTypeOptions: partOfPage,
    defaultEdgeTypeOptions: partOfPage,
    pageInfoTypeOptions: {
      ...partOfPage,
      description: 'The position of a page in its list (Relay Cursor Connections Specification, section 5).',
    },
    hasNextPageFieldOptions: {
      description: 'Whether more nodes follow. When paging backward, whether `before` was given.',
    },
    hasPreviousPageFieldOptions: {
      description: 'Whether nodes precede the page. When paging forward, whether `after` or `offset` was given.',
    },
    startCursorFieldOptions: {
      description: 'Cursor of the first edge; null on an empty page.',
    },
    endCursorFieldOptions: {
      description: 'Cursor of the last edge; null on an empty page.',
    },
    cursorFieldOptions: {
      description: 'Opaque position of the node in this list, for `after` and `before`.',
    },
    nodeFieldOptions: { nullable: false, description: 'The node at the end of the edge.' },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The nodes of the page, each with its cursor.',
    },
    nodesOnConnection: { description: 'The nodes of the page, without cursors.' },
    pageInfoFieldOptions: { description: 'The position of this page in the list.' },
    firstArgOptions: {
      description: `Number of nodes from the start of the list, 0 to ${pageSize.max}. Defaults to ${pageSize.default} without \`last\`.`,
    },
    lastArgOptions: {
      description: `Number of nodes from the end of the list, 0 to ${pageSize.max}. Cannot be combined with \`first\`.`,
      extensions: { changesStatement: true },
    },
    afterArgOptions: { description: 'Only nodes after this cursor.', extensions: { isCursor: true } },
    beforeArgOptions: { description: 'Only nodes before this cursor.', extensions: { isCursor: true } },
  },
})

builder.addScalarType('UUID', uuidScalar)
builder.addScalarType('DateTime', dateTimeScalar)
builder.addScalarType('URL', urlScalar)
builder.addScalarType('EmailAddress', emailScalar)

builder.queryType({ description: 'Reads data. Every field except `rateLimit` requires a bearer token.' })
builder.mutationType({
  description: 'Changes data. Every field requires a bearer token, unless it says otherwise.',
})

builder.subscriptionType({ description: 'Sends data when it changes, as Server-Sent Events.' })

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: true,
    description:
      'Number of nodes in the whole list, from a stored counter that is the same for everybody; null for lists without one.',
    resolve: ({ totalCount }) => totalCount,
  }),
)

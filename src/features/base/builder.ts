import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import { maxScan, maxScanInLists, pageSize } from '../../engine/compiler/limits.ts'
import { readPlugin } from '../../engine/compiler/read-plugin.ts'
import { typeKey } from '../../engine/compiler/sql-compiler.ts'
import type PrismaTypes from '../../engine/data/generated/pothos.ts'
import { getDatamodel } from '../../engine/data/generated/pothos.ts'
import type { Publication } from '../../engine/data/generated/prisma/client.ts'
import { notFound } from '../../engine/errors.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { permissionPlugin } from '../../engine/schema/permission-plugin.ts'
import { dateTimeScalar, urlScalar, uuidScalar } from '../../engine/schema/scalars.ts'
import { emailScalar } from './email-address.ts'
import { languageScalar } from './language-tag.ts'

/** The types that the builder does not define itself. */
type SchemaTypes = {
  Context: RequestContext
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
    LanguageTag: { Input: string; Output: string }
  }
}

const partOfPage = { extensions: { isPartOfPage: true } }

/** The builder of the schema. It defines the scalars; all other types have files of their own. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [readPlugin, permissionPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  missing: (type) => notFound(type.toLowerCase()),
  prisma: { client: ({ database }) => database.write.prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'An object with a global id (GraphQL Global Object Identification).',
      resolveType: (row) => String(Reflect.get(Object(row), typeKey)),
    },
    idFieldOptions: { description: 'The opaque global id, with which `node` finds the object.' },
    defaultConnectionTypeOptions: partOfPage,
    defaultEdgeTypeOptions: partOfPage,
    pageInfoTypeOptions: {
      ...partOfPage,
      description:
        'The position of a page in its list (Relay Cursor Connections Specification, section 5). A page ' +
        `looks at no more than ${maxScan} rows, or ${maxScanInLists} inside of lists, and ends early where ` +
        'the viewer may not see most of them, or a filter leaves them out: with fewer nodes, or none, while more may follow.',
    },
    hasNextPageFieldOptions: {
      description: 'Whether more nodes may follow. When paging backward, whether `before` was given.',
    },
    hasPreviousPageFieldOptions: {
      description: 'Whether nodes may precede the page. When paging forward, whether `after` or `offset` was given.',
    },
    startCursorFieldOptions: {
      description:
        'The cursor of the first edge; null on an empty page. When paging backward, a page that ends early ' +
        'has the cursor of the last row that it looked at.',
    },
    endCursorFieldOptions: {
      description:
        'The cursor of the last edge; null on an empty page. When paging forward, a page that ends early has ' +
        'the cursor of the last row that it looked at.',
    },
    cursorFieldOptions: {
      description: 'The opaque position of the node in this list, for `after` and `before`.',
    },
    nodeFieldOptions: { nullable: false, description: 'The node at the end of the edge.' },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The nodes of the page, each with its cursor.',
    },
    nodesOnConnection: { description: 'The nodes of the page, without cursors.' },
    pageInfoFieldOptions: { description: 'The position of this page in the list.' },
    firstArgOptions: {
      description:
        `The number of nodes from the start of the list, 0 to ${pageSize.max}. Defaults to ` +
        `${pageSize.default} without \`last\`.`,
    },
    lastArgOptions: {
      description: `The number of nodes from the end of the list, 0 to ${pageSize.max}. Cannot be combined with \`first\`.`,
      extensions: { changesStatement: true },
    },
    mutationInputArgOptions: { description: 'The input of the mutation.' },
    defaultMutationInputTypeOptions: { description: 'The input of a mutation.' },
    defaultPayloadTypeOptions: { description: 'The payload of a mutation.' },
    afterArgOptions: { description: 'Only nodes after this cursor.', extensions: { isCursor: true } },
    beforeArgOptions: { description: 'Only nodes before this cursor.', extensions: { isCursor: true } },
  },
})

builder.addScalarType('UUID', uuidScalar)
builder.addScalarType('DateTime', dateTimeScalar)
builder.addScalarType('URL', urlScalar)
builder.addScalarType('EmailAddress', emailScalar)
builder.addScalarType('LanguageTag', languageScalar)

builder.queryType({ description: 'Reads data. Every field requires a bearer token, unless it says otherwise.' })
builder.mutationType({
  description: 'Changes data. Every field requires a bearer token, unless it says otherwise.',
})

builder.subscriptionType({ description: 'Sends data when it changes, as Server-Sent Events.' })

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: true,
    description:
      'The number of nodes in the whole list, the same for everybody; null for lists that are not counted, ' +
      'such as timelines, `posts` and `changes`.',
    resolve: ({ totalCount }) => totalCount,
  }),
)

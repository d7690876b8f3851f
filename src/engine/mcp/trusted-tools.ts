import { type DocumentNode, type GraphQLSchema, OperationTypeNode, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { LRUCache } from 'lru-cache'
import { staleness } from '../auth/viewers.ts'
import { type ToolDocument, toolDocuments } from '../graphql/stored-documents.ts'
import type { ApiServices } from '../http/api-services.ts'
import type { ScopeSets } from '../scopes.ts'
import { variablesSchema } from './json-schema.ts'
import { isDestructive, type Operations } from './operation-tools.ts'
import type { Tool } from './tool.ts'

const kind = { isTrusted: true, isKept: true } as const

/** The trusted documents that the operator offers as tools, known for some seconds. Those that are not valid any more are left out. */
export class TrustedTools {
  readonly #services: ApiServices
  readonly #operations: Operations
  readonly #known: LRUCache<'tools', readonly Tool[]>

  constructor(services: ApiServices, operations: Operations) {
    this.#services = services
    this.#operations = operations
    this.#known = new LRUCache({
      max: 1,
      ttl: staleness,
      fetchMethod: async (): Promise<readonly Tool[]> =>
        (await toolDocuments(services.database)).flatMap((document) => this.#toolOf(document)),
      ignoreFetchAbort: true,
    })
  }

  /** All of them, whoever asks. */
  async all(): Promise<readonly Tool[]> {
    return (await this.#known.fetch('tools')) ?? []
  }

  #toolOf({ name, hash, source }: ToolDocument): readonly Tool[] {
    const { documents } = this.#services
    const { schema } = documents
    if (!documents.known(source, kind)) documents.loadTrusted(source)
    const loaded = documents.known(source, kind)
    const [operation] = loaded?.operations ?? []
    if (!loaded || !operation) return []
    const scopes = scopesOf(schema, loaded.document)
    const isQuery = operation.operation === OperationTypeNode.QUERY
    return [
      {
        name,
        description: operation.description?.value ?? '',
        annotations: isQuery
          ? { readOnlyHint: true }
          : { readOnlyHint: false, destructiveHint: isDestructive(this.#services.effects, scopes.flat(2)) },
        inputSchema: variablesSchema(schema, operation),
        needsScopes: true,
        run: (input, request) =>
          this.#operations.run(operation.operation, { documentId: hash, variables: Object(input) }, request),
      },
    ]
  }
}

/** What the fields of a document require. */
function scopesOf(schema: GraphQLSchema, document: DocumentNode): readonly ScopeSets[] {
  const found: ScopeSets[] = []
  const info = new TypeInfo(schema)
  const Field = () =>
    void found.push(...[info.getFieldDef()?.extensions.requiredScopes ?? []].filter((it) => it.length > 0))
  visit(document, visitWithTypeInfo(info, { Field }))
  return found
}

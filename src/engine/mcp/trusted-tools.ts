import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { staleness } from '../auth/viewers.ts'
import { type ToolDocument, toolDocuments } from '../graphql/stored-documents.ts'
import type { ApiServices } from '../http/api-services.ts'
import type { ScopeSets } from '../scopes.ts'
import { isDestructive, type JsonSchema, type Operations, type Tool } from './operation-tools.ts'

/** The scalars of GraphQL that are no strings in JSON. */
const jsonTypes: ReadonlyMap<string, string> = new Map([
  ['Int', 'integer'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
])

/** The JSON Schema of the variables of an operation, with their descriptions. */
function variablesSchema(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): JsonSchema {
  const variables = variableDefinitions.flatMap(({ variable, type: node, defaultValue, description }) => {
    const type = typeFromAST(schema, node)
    if (!isInputType(type)) return []
    return {
      name: variable.name.value,
      type,
      isRequired: isNonNullType(type) && !defaultValue,
      description: description?.value,
    }
  })
  return objectSchema(variables)
}

type Property = {
  readonly name: string
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly description: string | null | undefined
}

function objectSchema(properties: readonly Property[]): JsonSchema {
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map(({ name, type, description }) => [
        name,
        { ...typeSchema(type), ...(description && { description }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The JSON Schema of a type. No input of the schema contains itself. */
function typeSchema(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType)
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type))
    return {
      type: jsonTypes.get(type.name) ?? 'string',
      ...(type.extensions.requirement && { description: type.description }),
    }
  const fields = Object.values(type.getFields()).map(({ name, type: of, defaultValue, description }) => ({
    name,
    type: of,
    isRequired: isNonNullType(of) && defaultValue === undefined,
    description,
  }))
  return { ...objectSchema(fields), ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }) }
}

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

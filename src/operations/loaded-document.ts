import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql'
import { Refusal } from '../errors.ts'
import { graphQLError } from './mask.ts'
import { PreparedOperation } from './prepared-operation.ts'

/** The memory of a token with its share of the syntax tree, and of a UTF-16 unit of the source, in bytes. */
const bytesOfToken = 600
const bytesOfUnit = 2

/** A valid document with its prepared operations, by name. */
export class LoadedDocument {
  readonly #schema: GraphQLSchema
  readonly document: DocumentNode
  readonly #operations = new Map<string | undefined, PreparedOperation>()
  readonly #ownBytes: number
  #countedBytes = 0

  /** `tokens` is how many the document has. */
  constructor(schema: GraphQLSchema, document: DocumentNode, tokens: number) {
    this.#schema = schema
    this.document = document
    this.#ownBytes = (document.loc?.end ?? 0) * bytesOfUnit + tokens * bytesOfToken
  }

  /** The operation of this name, if it has run before. */
  known(name: string | undefined): PreparedOperation | undefined {
    return this.#operations.get(name)
  }

  /** How many bytes it takes: source, syntax tree, and prepared operations with their statements. */
  get bytes(): number {
    let bytes = this.#ownBytes
    for (const operation of this.#operations.values()) bytes += operation.bytes
    return bytes
  }

  /** Whether it takes more bytes than when `countBytes` was last called. */
  get hasGrown(): boolean {
    return this.bytes > this.#countedBytes
  }

  /** How many bytes it takes, which `hasGrown` compares with later. */
  countBytes(): number {
    this.#countedBytes = this.bytes
    return this.#countedBytes
  }

  /** The names of its operations; undefined for an anonymous one. */
  get operationNames(): readonly (string | undefined)[] {
    return this.document.definitions.flatMap((it) => (it.kind === Kind.OPERATION_DEFINITION ? [it.name?.value] : []))
  }

  /** The operation of this name, or without a name the only one. Throws `BAD_REQUEST` when there is none. */
  operation(name: string | undefined): PreparedOperation {
    const known = this.#operations.get(name)
    if (known) return known
    const operation = getOperationAST(this.document, name)
    if (!operation) {
      const message =
        name === undefined
          ? 'The document does not have exactly one operation: set operationName to the one to run.'
          : 'The document has no operation with this operationName.'
      throw graphQLError(new Refusal('BAD_REQUEST', message), 'operation')
    }
    if (!this.#schema.getRootType(operation.operation)) {
      throw graphQLError(new Refusal('BAD_REQUEST', 'Subscriptions are not supported.'), 'operation')
    }
    const prepared = new PreparedOperation(this.#schema, this.document, operation)
    this.#operations.set(name, prepared)
    return prepared
  }
}

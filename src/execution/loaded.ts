import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql'
import { Refusal } from '../errors.ts'
import { Program } from './program.ts'

/** What a token of a document takes in memory with its share of the syntax tree, and a UTF-16 unit of its source, in bytes. */
const bytesOfToken = 600
const bytesOfUnit = 2

/** A valid document with what was worked out of its operations, by their names. */
export class Loaded {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #programs = new Map<string | undefined, Program>()
  readonly #ownBytes: number
  #weighed = 0

  /** `tokens` is how many the document has. */
  constructor(schema: GraphQLSchema, document: DocumentNode, tokens: number) {
    this.#schema = schema
    this.#document = document
    this.#ownBytes = (document.loc?.end ?? 0) * bytesOfUnit + tokens * bytesOfToken
  }

  /** How many bytes it holds: the source, the syntax tree, and the programs with their statements. */
  get bytes(): number {
    let bytes = this.#ownBytes
    for (const program of this.#programs.values()) bytes += program.bytes
    return bytes
  }

  /** Whether it holds more than when it was last weighed. */
  get hasGrown(): boolean {
    return this.bytes > this.#weighed
  }

  /** How many bytes it holds, to be compared with later on. */
  weigh(): number {
    this.#weighed = this.bytes
    return this.#weighed
  }

  /** The operation of this name, or the only one. Throws `BAD_REQUEST` when there is none. */
  program(name: string | undefined): Program {
    const known = this.#programs.get(name)
    if (known) return known
    const operation = getOperationAST(this.#document, name)
    if (!operation || !this.#schema.getRootType(operation.operation)) {
      const which =
        name === undefined ? 'Say with operationName which operation is meant.' : 'There is no operation of this name.'
      throw new Refusal('BAD_REQUEST', operation ? `There is no ${operation.operation} here.` : which)
    }
    const program = new Program(this.#schema, this.#document, operation)
    this.#programs.set(name, program)
    return program
  }
}

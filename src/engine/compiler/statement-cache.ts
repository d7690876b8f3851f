import type { OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { QueryPlan } from './query-plan.ts'
import type { ExecutableOperation } from './selection.ts'
import type { CompiledStatement } from './sql-compiler.ts'
import { structuralVariables } from './variables.ts'

/** How many bytes the statements of a cache take at most, and one of them besides its text. */
const statementBytes = 16 * 2 ** 20
const bytesBesideText = 4_000

/** An operation in the keys of a cache, and the variables that change its SQL. */
type Known = { readonly id: number; readonly structural: readonly string[] }

/** Caches what is compiled for operations, once for each state of the variables that change the SQL itself. */
class StatementCache<T extends { readonly text: string }> {
  readonly #operations = new WeakMap<OperationDefinitionNode, Known>()
  readonly #values = new LRUCache<string, T>({
    maxSize: statementBytes,
    sizeCalculation: ({ text }) => text.length + bytesBesideText,
  })
  #lastId = 0

  /** The value of a part of the operation, which `key` names; compiled when it is first asked for. */
  get(executable: ExecutableOperation, key: string, compile: () => T): T {
    const { id, structural } = this.#operations.get(executable.operation) ?? this.#add(executable)
    const fullKey = structural.length === 0 ? `${id} ${key}` : `${id} ${key} ${stateOf(executable, structural)}`
    const cached = this.#values.get(fullKey)
    if (cached !== undefined) return cached
    const value = compile()
    this.#values.set(fullKey, value)
    return value
  }

  #add(executable: ExecutableOperation): Known {
    this.#lastId += 1
    const added = { id: this.#lastId, structural: structuralVariables(executable) }
    this.#operations.set(executable.operation, added)
    return added
  }
}

/** What is compiled for the operations of one server. */
export class CompiledOperations {
  readonly plans = new StatementCache<QueryPlan>()
  readonly statements = new StatementCache<CompiledStatement>()
}

/** The state of variables as far as it changes the SQL: null, false, or set to anything else. */
function stateOf({ variableValues }: ExecutableOperation, names: readonly string[]): string {
  const states = names.map((name) => {
    const value = Object.hasOwn(variableValues, name) ? variableValues[name] : null
    return value === null || value === undefined ? 'null' : value === false ? 'false' : 'set'
  })
  return states.join(' ')
}

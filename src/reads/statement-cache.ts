import type { OperationDefinitionNode } from 'graphql'
import type { ExecutableOperation } from './selection.ts'
import { structuralVariables } from './variables.ts'

type Entry<T> = { readonly structural: readonly string[]; readonly values: Map<string, T>; bytes: number }

/** How many bytes an entry takes besides the text of its statement. */
const bytesBesideText = 4_000

/**
 * Caches what is compiled for an operation, once for each state of the variables that change the SQL itself. Entries are collected with
 * their operation.
 */
export class StatementCache<T extends { readonly text: string }> {
  readonly #entries = new WeakMap<OperationDefinitionNode, Entry<T>>()

  /** The value of a part of the operation, which `key` names; compiled when it is first asked for. */
  get(executable: ExecutableOperation, key: string, compile: () => T): T {
    const entry = this.#entryOf(executable)
    const fullKey = entry.structural.length === 0 ? key : `${key} ${stateOf(executable, entry.structural)}`
    const cached = entry.values.get(fullKey)
    if (cached !== undefined) return cached
    const value = compile()
    entry.values.set(fullKey, value)
    entry.bytes += value.text.length + bytesBesideText
    return value
  }

  /** How many bytes are held for an operation. */
  bytesOf(operation: OperationDefinitionNode): number {
    return this.#entries.get(operation)?.bytes ?? 0
  }

  #entryOf(executable: ExecutableOperation): Entry<T> {
    const existing = this.#entries.get(executable.operation)
    if (existing) return existing
    const entry = { structural: structuralVariables(executable), values: new Map<string, T>(), bytes: 0 }
    this.#entries.set(executable.operation, entry)
    return entry
  }
}

/** The state of variables as far as it changes the SQL: null, false, or set to anything else. */
function stateOf({ variableValues }: ExecutableOperation, names: readonly string[]): string {
  const states = names.map((name) => {
    const value = Object.hasOwn(variableValues, name) ? variableValues[name] : null
    return value === null || value === undefined ? 'null' : value === false ? 'false' : 'set'
  })
  return states.join(' ')
}

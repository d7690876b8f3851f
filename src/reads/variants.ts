import type { GraphQLResolveInfo, OperationDefinitionNode } from 'graphql'
import { switchesOf } from './variables.ts'

/** An operation that is being run. */
export type Call = Pick<GraphQLResolveInfo, 'schema' | 'operation' | 'fragments' | 'variableValues'>

type Known<T> = { readonly switches: readonly string[]; readonly made: Map<string, T>; bytes: number }

/** What belongs to a statement beside its text, in bytes. */
const besideText = 4_000

/** What is worked out of an operation once for each way in which its variables make it run. It goes when the operation goes. */
export class Variants<T extends object> {
  readonly #known = new WeakMap<OperationDefinitionNode, Known<T>>()
  readonly #textOf: (made: T) => string

  /** `textOf` answers the statement in what was made. */
  constructor(textOf: (made: T) => string) {
    this.#textOf = textOf
  }

  /** What was made of this call before, for `what` of it, or else what `make` makes of it now. */
  of(call: Call, what: string, make: () => T): T {
    const known = this.#knownOf(call)
    const key = known.switches.length === 0 ? what : `${what} ${stateOf(call, known.switches)}`
    const before = known.made.get(key)
    if (before !== undefined) return before
    const made = make()
    known.made.set(key, made)
    known.bytes += this.#textOf(made).length + besideText
    return made
  }

  /** How many bytes are held for an operation. */
  bytesOf(operation: OperationDefinitionNode): number {
    return this.#known.get(operation)?.bytes ?? 0
  }

  #knownOf(call: Call): Known<T> {
    const known = this.#known.get(call.operation)
    if (known) return known
    const fresh = { switches: switchesOf(call), made: new Map<string, T>(), bytes: 0 }
    this.#known.set(call.operation, fresh)
    return fresh
  }
}

/** In which state the variables are that change which rows are read: null, false, or anything else. */
function stateOf({ variableValues }: Call, switches: readonly string[]): string {
  const states = switches.map((name) => {
    const sent = Object.hasOwn(variableValues, name) ? variableValues[name] : null
    return sent === null || sent === undefined ? 'null' : sent === false ? 'false' : 'set'
  })
  return states.join(' ')
}

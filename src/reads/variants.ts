import {
  type ArgumentNode,
  type ConstArgumentNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'

/** An operation that is being run. */
export type Call = Pick<GraphQLResolveInfo, 'schema' | 'operation' | 'fragments' | 'variableValues'>

type Known<T> = { readonly switches: readonly string[]; readonly made: Map<string, T> }

/** A document has few ways to be run; one that is made to have many starts anew. */
const keptForEach = 64

/** What is worked out of an operation once for each way in which its variables make it run. */
export class Variants<T> {
  readonly #known = new WeakMap<OperationDefinitionNode, Known<T>>()

  /** What was made of this call before, for `what` of it, or else what `make` makes of it now. */
  of(call: Call, what: string, make: () => T): T {
    const { switches, made } = this.#knownOf(call)
    const sent = (name: string) => (Object.hasOwn(call.variableValues, name) ? call.variableValues[name] : null)
    const state = switches.map((name) => `${sent(name) ?? null}`)
    const key = [what, ...state.map((value) => (value === 'null' || value === 'false' ? value : 'set'))].join(' ')
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make()
    if (made.size >= keptForEach) made.clear()
    made.set(key, value)
    return value
  }

  #knownOf(call: Call): Known<T> {
    const known = this.#known.get(call.operation)
    if (known) return known
    const fresh: Known<T> = { switches: switchesOf(call), made: new Map() }
    this.#known.set(call.operation, fresh)
    return fresh
  }
}

/** The variables that change which rows are read, not only their values: conditions, and the direction of pages. */
function switchesOf({ operation, fragments }: Call): string[] {
  const names = new Set<string>()
  const Argument = ({ name, value }: ArgumentNode | ConstArgumentNode) => {
    if (value.kind === Kind.VARIABLE && ['if', 'last'].includes(name.value)) names.add(value.name.value)
  }
  for (const definition of [operation, ...Object.values(fragments)]) visit(definition, { Argument })
  return [...names]
}

import {
  type ArgumentNode,
  type ConstArgumentNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'

/** An operation that is being run. */
export type Call = Pick<GraphQLResolveInfo, 'schema' | 'operation' | 'fragments' | 'variableValues'>

type Known = { readonly number: number; readonly switches: readonly string[] }

/** How many characters of statements are kept, of all operations together; what else belongs to one counts as many more. */
const keptCharacters = 32_000_000
const besideText = 4_000

/** What is worked out of an operation once for each way in which its variables make it run; what was not used for long goes. */
export class Variants<T extends object> {
  readonly #known = new WeakMap<OperationDefinitionNode, Known>()
  readonly #made: LRUCache<string, T>
  #operations = 0

  /** `textOf` answers the statement in what was made. */
  constructor(textOf: (made: T) => string) {
    this.#made = new LRUCache({ maxSize: keptCharacters, sizeCalculation: (made) => textOf(made).length + besideText })
  }

  /** What was made of this call before, for `what` of it, or else what `make` makes of it now. */
  of(call: Call, what: string, make: () => T): T {
    const { number, switches } = this.#knownOf(call)
    const sent = (name: string) => (Object.hasOwn(call.variableValues, name) ? call.variableValues[name] : null)
    const state = switches.map((name) => `${sent(name) ?? null}`)
    const key = [number, what, ...state.map((value) => (value === 'null' || value === 'false' ? value : 'set'))].join(
      ' ',
    )
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#made.set(key, made)
    return made
  }

  #knownOf(call: Call): Known {
    const known = this.#known.get(call.operation)
    if (known) return known
    this.#operations += 1
    const fresh = { number: this.#operations, switches: switchesOf(call) }
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

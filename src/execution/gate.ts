import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  type InlineFragmentNode,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql'
import { insufficientScope } from '../domain/access.ts'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { prices } from '../reads/cost.ts'
import { maxResponseBytes } from '../reads/response-size.ts'
import { fieldOf, isIncluded } from '../reads/selection.ts'
import type { Call } from '../reads/variants.ts'
import { unauthenticated } from '../schema/context.ts'
import { publicFields, type ScopeSets, satisfies } from '../scopes.ts'
import { Introspection } from './introspection.ts'
import { requestError } from './mask.ts'
import { free, type Price, plus, priceOf } from './price.ts'
import { mayLackArguments } from './telling.ts'

/** What an operation may cost at most, in units of about 5 microseconds of database time. */
export const maxCost = 50_000

/** The same without a token: enough for the introspection of GraphiQL and code generators. */
export const maxCostWithoutToken = 20_000

type Demand = {
  readonly sets: ScopeSets
  readonly node: FieldNode
  /** Only there does what is found decide which of the sets it takes. */
  readonly isRoot: boolean
}

/** What an operation asks for. */
export type Examination = {
  readonly needsToken: boolean
  readonly demands: readonly Demand[]
  /** What is wrong with the arguments of its pages. */
  readonly errors: readonly GraphQLError[]
  readonly cost: number
  /** How many bytes its answer has at most. */
  readonly bytes: number
}

/** Looks through a whole operation before anything of it executes. */
export function examine(call: Call): Examination {
  return new Gate(call).examine()
}

/** Why an operation is refused; nothing when it may run. Scopes come before arguments, and those before the cost. */
export function refusals(
  { needsToken, demands, errors, cost, bytes }: Examination,
  session: Session | undefined,
  { operation }: Pick<Call, 'operation'>,
): readonly GraphQLError[] {
  if (needsToken && !session) return [refused(unauthenticated(), operation)]
  const missing = demands.filter(({ sets }) => !session || !satisfies(session.scopes, sets))
  if (missing.length > 0) return missing.map(({ sets, node }) => refused(insufficientScope(sets), node))
  if (errors.length > 0) return errors
  const most = session ? maxCost : maxCostWithoutToken
  if (cost > most)
    return [tooMuch(`An operation costs at most ${most}; this one costs ${cost}. Ask for less at once.`, operation)]
  if (bytes > maxResponseBytes)
    return [
      tooMuch(
        `An answer has at most ${maxResponseBytes} bytes; this one could have ${bytes}. Ask for smaller pages or fewer texts.`,
        operation,
      ),
    ]
  return []
}

function tooMuch(message: string, operation: OperationDefinitionNode): GraphQLError {
  return refused(new Refusal('VALIDATION_FAILED', message), operation)
}

/** Whether a token permits each of the alternatives that the operation may come down to, so that nothing is left to be refused by what is found. */
export function permitsWhateverIsFound({ demands }: Examination, session: Session | undefined): boolean {
  return demands.every(
    ({ sets, isRoot }) => !isRoot || sets.every((set) => session && satisfies(session.scopes, [set])),
  )
}

/**
 * Which scopes an operation needs, whether the arguments of its pages hold, and what it costs, respecting `@skip` and `@include`. Each
 * fragment is measured once for each type.
 */
class Gate {
  readonly #call: Call
  readonly #demands = new Map<string, Demand>()
  readonly #errors: GraphQLError[] = []
  readonly #prices = new Map<string, Price>()
  readonly #introspection: Introspection
  /** A variable with a default may stand where null may not, and yet be sent as null; any other was checked already. */
  readonly #mayLackArguments: boolean
  #needsToken = false

  constructor(call: Call) {
    this.#call = call
    this.#introspection = new Introspection(call, maxCost)
    this.#mayLackArguments = mayLackArguments(call.operation)
  }

  examine(): Examination {
    const { schema, operation } = this.#call
    const root = schema.getRootType(operation.operation)
    const { once, each, bytes } = root ? this.#ofSet(root, operation.selectionSet) : free
    const demands = [...this.#demands.values()]
    return {
      needsToken: this.#needsToken,
      demands,
      errors: this.#errors,
      cost: Math.ceil(prices.statement + once + each),
      bytes,
    }
  }

  #ofSet(type: GraphQLCompositeType, { selections }: SelectionSetNode): Price {
    let price = free
    for (const node of selections) {
      if (!isIncluded(node, this.#call.variableValues)) continue
      if (node.kind === 'Field') price = plus(price, this.#ofField(type, node))
      else if (node.kind === 'InlineFragment') price = plus(price, this.#ofFragment(type, node))
      else price = plus(price, this.#ofSpread(type, node.name.value))
    }
    return price
  }

  #ofSpread(type: GraphQLCompositeType, name: string): Price {
    const key = `${type.name}.${name}`
    const known = this.#prices.get(key)
    if (known) return known
    const fragment = this.#call.fragments[name]
    const price = fragment ? this.#ofFragment(type, fragment) : free
    this.#prices.set(key, price)
    return price
  }

  #ofFragment(
    type: GraphQLCompositeType,
    { typeCondition, selectionSet }: FragmentDefinitionNode | InlineFragmentNode,
  ): Price {
    const on = typeCondition ? this.#call.schema.getType(typeCondition.name.value) : type
    return isCompositeType(on) ? this.#ofSet(on, selectionSet) : free
  }

  #ofField(parent: GraphQLCompositeType, node: FieldNode): Price {
    const field = fieldOf(parent, node.name.value)
    if (!field) return free
    const type = getNamedType(field.type)
    if (isIntrospectionType(type)) {
      return isObjectType(parent) ? this.#introspection.priceOf(parent, field, node) : free
    }
    if (field === TypeNameMetaFieldDef) return priceOf(field, node, free, {})
    this.#demand(parent, field, node)
    const within = isCompositeType(type) && node.selectionSet ? this.#ofSet(type, node.selectionSet) : free
    const { cost, scopesAsked } = field.extensions
    if (!cost?.asks && !(this.#mayLackArguments && node.arguments?.length)) return priceOf(field, node, within, {})
    const price = this.#attempt(node, () => {
      const args = getArgumentValues(field, node, this.#call.variableValues)
      const price = priceOf(field, node, within, args)
      for (const [name, sets] of scopesAsked?.(args) ?? []) this.#demands.set(name, { sets, node, isRoot: true })
      return price
    })
    return price ?? free
  }

  #demand(parent: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, node: FieldNode): void {
    const coordinate = `${parent.name}.${field.name}`
    const isRoot = parent === this.#call.schema.getRootType(this.#call.operation.operation)
    if (isRoot && !publicFields.has(coordinate)) this.#needsToken = true
    const sets = field.extensions.requiredScopes
    if (!sets) return
    this.#needsToken = true
    this.#demands.set(coordinate, { sets, node, isRoot })
  }

  #attempt<T>(node: FieldNode, action: () => T): T | undefined {
    try {
      return action()
    } catch (error) {
      if (error instanceof Refusal) this.#errors.push(refused(error, node))
      else if (error instanceof GraphQLError) this.#errors.push(requestError('VALIDATION_FAILED', error))
      else throw error
      return undefined
    }
  }
}

function refused(originalError: Refusal, nodes: FieldNode | OperationDefinitionNode): GraphQLError {
  return new GraphQLError(originalError.message, { nodes, originalError })
}

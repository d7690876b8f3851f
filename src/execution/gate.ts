import {
  type ArgumentNode,
  type ConstArgumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableNode,
  visit,
} from 'graphql'
import { insufficientScope } from '../domain/access.ts'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { isIncluded } from '../reads/selection.ts'
import { pageArgs } from '../reads/statement.ts'
import type { Call } from '../reads/variants.ts'
import { type PageRequest, pageRequest } from '../reads/window.ts'
import { unauthenticated } from '../schema/context.ts'
import { decodeGlobalId } from '../schema/global-id.ts'
import { maxNodes } from '../schema/node.ts'
import { nodeScopes, publicFields, type ScopeSets, satisfies } from '../scopes.ts'
import { composedSize, maxComposed } from './composed-size.ts'
import { requestError } from './mask.ts'

/** What an operation may ask for at most: see `Gate`. */
export const maxCost = 50_000

/** How many rows that a numbered page passes over cost as much as an object. */
const walkedForOne = 1000

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
  /** How many fields its statements have; see `composedSize`. */
  readonly composed: number
}

/** Looks through a whole operation before anything of it executes. */
export function examine(call: Call): Examination {
  return new Gate(call).examine()
}

/** Why an operation is refused; nothing when it may run. Scopes come before arguments, and those before the cost. */
export function refusals(
  { needsToken, demands, errors, cost, composed }: Examination,
  session: Session | undefined,
  { operation }: Pick<Call, 'operation'>,
): readonly GraphQLError[] {
  if (needsToken && !session) return [refused(unauthenticated(), operation)]
  const missing = demands.filter(({ sets }) => !session || !satisfies(session.scopes, sets))
  if (missing.length > 0) return missing.map(({ sets, node }) => refused(insufficientScope(sets), node))
  if (errors.length > 0) return errors
  if (cost > maxCost)
    return [tooMuch(`An operation costs at most ${maxCost}; this one costs ${cost}. Ask for smaller pages.`, operation)]
  if (composed > maxComposed)
    return [
      tooMuch(
        `An operation has at most ${maxComposed} fields, where those of an interface count for each type that is asked for something else. Ask for less at once.`,
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
 * Which scopes an operation needs, whether the arguments of its pages hold, and what it costs, respecting `@skip` and `@include`. An
 * object costs 1, so a page costs its size times what it nests; so does each alias, repeated field and fragment spread, since they
 * ask again. Each fragment is measured once for each type.
 */
class Gate {
  readonly #call: Call
  readonly #demands = new Map<string, Demand>()
  readonly #errors: GraphQLError[] = []
  readonly #costs = new Map<string, number>()
  /** A variable with a default may stand where null may not, and yet be sent as null; any other was checked already. */
  readonly #mayLackArguments: boolean
  #needsToken = false

  constructor(call: Call) {
    this.#call = call
    this.#mayLackArguments = mayLackArguments(call.operation)
  }

  examine(): Examination {
    const { schema, operation } = this.#call
    const root = schema.getRootType(operation.operation)
    const cost = root ? this.#costOf(root, operation.selectionSet) : 0
    const demands = [...this.#demands.values()]
    const composed = root ? composedSize(this.#call, root, operation.selectionSet) : 0
    return { needsToken: this.#needsToken, demands, errors: this.#errors, cost, composed }
  }

  #costOf(type: GraphQLCompositeType, { selections }: SelectionSetNode): number {
    const seen = new Set<string>()
    let cost = 0
    for (const node of selections) {
      if (!isIncluded(node, this.#call.variableValues)) continue
      if (node.kind === 'Field') {
        const again = node.alias !== undefined || seen.has(node.name.value)
        seen.add(node.name.value)
        cost += (again ? 1 : 0) + this.#costOfField(type, node)
      } else if (node.kind === 'InlineFragment') {
        cost += this.#costOfFragment(type, node.typeCondition?.name.value, node.selectionSet)
      } else {
        cost += 1 + this.#costOfSpread(type, node.name.value)
      }
    }
    return cost
  }

  #costOfSpread(type: GraphQLCompositeType, name: string): number {
    const key = `${type.name}.${name}`
    const known = this.#costs.get(key)
    if (known !== undefined) return known
    const fragment = this.#call.fragments[name]
    const cost = fragment ? this.#costOfFragment(type, fragment.typeCondition.name.value, fragment.selectionSet) : 0
    this.#costs.set(key, cost)
    return cost
  }

  #costOfFragment(type: GraphQLCompositeType, condition: string | undefined, set: SelectionSetNode): number {
    const on = condition === undefined ? type : this.#call.schema.getType(condition)
    return isCompositeType(on) ? this.#costOf(on, set) : 0
  }

  #costOfField(parent: GraphQLCompositeType, node: FieldNode): number {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    if (!field || !type || isIntrospectionType(type)) return 0
    this.#demand(parent, field, node)
    const within = isCompositeType(type) && node.selectionSet ? this.#costOf(type, node.selectionSet) : 0
    const isNodes = parent.name === 'Query' && field.name.startsWith('node')
    if (!isNodes && !isConnection(field)) {
      if (this.#mayLackArguments && node.arguments?.length) {
        this.#attempt(node, () => getArgumentValues(field, node, this.#call.variableValues))
      }
      const isPartOfPage = parent.name.endsWith('Connection') || parent.name.endsWith('Edge')
      return within + (isCompositeType(type) && !isPartOfPage ? 1 : 0)
    }
    if (isNodes) return this.#costOfNodes(field, node, within)
    const { size, offset } = this.#requestOf(field, node)
    // What an empty page nests is composed all the same, and what is passed over is walked.
    return Math.max(size, 1) * (1 + within) + Math.ceil(offset / walkedForOne)
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

  #requestOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Pick<PageRequest, 'size' | 'offset'> {
    const request = this.#attempt(node, () => pageRequest(pageArgs(field, node, this.#call.variableValues)))
    return request ?? { size: 0, offset: 0 }
  }

  #costOfNodes(field: GraphQLField<unknown, unknown>, node: FieldNode, within: number): number {
    return (
      this.#attempt(node, () => {
        const { id, ids = [id] } = getArgumentValues(field, node, this.#call.variableValues)
        if (!Array.isArray(ids)) return 0
        if (ids.length > maxNodes)
          throw new Refusal('VALIDATION_FAILED', `nodes takes at most ${maxNodes} ids.`, {
            errors: [{ field: 'ids', message: `must be at most ${maxNodes}` }],
          })
        for (const one of ids) {
          const { type } = decodeGlobalId(String(one), field.name === 'node' ? 'id' : 'ids')
          const sets = nodeScopes[type]
          if (sets) this.#demands.set(`Node ${type}`, { sets, node, isRoot: true })
        }
        return ids.length * (1 + within)
      }) ?? 0
    )
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

/** Whether a variable with a default may be sent as null where null may not stand. */
function mayLackArguments({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return variableDefinitions.some(({ type, defaultValue }) => defaultValue && type.kind !== 'NonNullType')
}

/** The arguments that make a difference to what an operation asks for. */
const telling = new Set(['first', 'last', 'after', 'before', 'offset', 'id', 'ids', 'if'])

/** The names of the variables that make a difference to what an operation asks for. */
export function tellingVariables(operation: OperationDefinitionNode, fragments: Call['fragments']): readonly string[] {
  if (mayLackArguments(operation))
    return (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  const names = new Set<string>()
  const Variable = ({ name }: VariableNode) => void names.add(name.value)
  const Argument = (argument: ArgumentNode | ConstArgumentNode) => {
    if (telling.has(argument.name.value)) visit(argument, { Variable })
  }
  for (const definition of [operation, ...Object.values(fragments)]) visit(definition, { Argument })
  return [...names]
}

function isConnection({ args }: GraphQLField<unknown, unknown>): boolean {
  return ['first', 'last'].every((name) => args.some((arg) => arg.name === name))
}

function refused(originalError: Refusal, nodes: FieldNode | OperationDefinitionNode): GraphQLError {
  return new GraphQLError(originalError.message, { nodes, originalError })
}

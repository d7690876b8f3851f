import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLField,
  getNamedType,
  type InlineFragmentNode,
  isCompositeType,
  isIntrospectionType,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql'
import type { Use } from '../auth/viewers.ts'
import { argumentDecoder, variablesOf } from '../compiler/arguments.ts'
import { prices } from '../compiler/cost.ts'
import { hasCursor } from '../compiler/page-range.ts'
import { type ExecutableOperation, fieldOf, isIncluded, type Selected, Selection } from '../compiler/selection.ts'
import { type FieldError, invalid } from '../errors.ts'
import type { ScopeSets } from '../scopes.ts'
import { maxErrors } from './limits.ts'
import { argumentError } from './mask.ts'
import { asShare, free, type Price, plus, priceOf, priceOfIntrospection, type Share } from './price.ts'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Whether it shows changes that replicas may not have yet, so that its viewer reads from the primary. */
    isOfFeed?: boolean
  }
}

/** The scopes that a field requires, of which a token has to have one set. */
type ScopeRequirement = {
  readonly sets: ScopeSets
  readonly node: FieldNode
  /** What requires them, if it is not the field itself. */
  readonly what?: string
  /** Only at the root does the object that is found decide which of the sets is required. */
  readonly isRoot: boolean
}

/** The use of a field that needs a token. */
type FieldUse = Use & { readonly node: FieldNode }

/** A page with cursors, which are checked on every run. */
type PageWithCursors = { readonly node: FieldNode; readonly decode: ReturnType<typeof argumentDecoder> }

/** The selected root fields of an operation, by response key. */
export type Roots = readonly (readonly [key: string, Selected])[]

/** The root fields that an operation selects. */
export function rootsOf(executable: ExecutableOperation): Roots {
  const { schema, operation } = executable
  const type = schema.getRootType(operation.operation)
  return type ? [...new Selection(executable).fields(type, [operation.selectionSet])] : []
}

/** What an operation requires and costs. It does not depend on the values of cursors. */
export type OperationAnalysis = {
  readonly roots: Roots
  readonly needsToken: boolean
  readonly requirements: readonly ScopeRequirement[]
  /** What a restriction of the viewer has to permit. */
  readonly uses: readonly FieldUse[]
  /** In document order: the first argument errors, and the pages whose cursors remain to be checked. */
  readonly argumentChecks: readonly (GraphQLError | PageWithCursors)[]
  /** In units of about 5 microseconds of database time. */
  readonly cost: number
  /** The field that costs most of it. */
  readonly largestShare: Share
  /** Whether it only asks for its price. */
  readonly isDryRun: boolean
  /** Whether it reads the change feed. */
  readonly isOfFeed: boolean
}

/** Whether a variable may be null although its argument does not accept null: one that has a default. */
const mayLackArguments = ({
  operation: { variableDefinitions = [] },
}: Pick<ExecutableOperation, 'operation'>): boolean =>
  variableDefinitions.some(({ type, defaultValue }) => type.kind !== 'NonNullType' && defaultValue)

/** The names of the variables that change the analysis of an operation. Cursors do not: they are checked on every run. */
export function significantVariables(executable: Omit<ExecutableOperation, 'variableValues'>): readonly string[] {
  const mayLack = mayLackArguments(executable)
  return variablesOf(executable, ({ field, argument }) => {
    if (argument?.extensions.isCursor) return false
    const { cost, returnsPrice = false } = field.extensions
    return mayLack || returnsPrice || cost?.requested !== undefined || argument?.extensions.form?.fault !== undefined
  })
}

/** What is wrong with the first text that does not have the form of its argument, if there is one. */
function faultIn({ args }: Selected['field'], given: Readonly<Record<string, unknown>>): FieldError | undefined {
  for (const { name: field, extensions } of args) {
    const text = given[field]
    const message = typeof text === 'string' ? extensions.form?.fault?.(text) : undefined
    if (message !== undefined) return { field, message }
  }
  return undefined
}

/** Analyzes a whole operation before anything of it is executed. */
export function analyze(executable: ExecutableOperation): OperationAnalysis {
  return new OperationAnalyzer(executable).analyze()
}

/** Respects `@skip` and `@include`. Each fragment is analyzed once for each type. */
class OperationAnalyzer {
  readonly #executable: ExecutableOperation
  readonly #requirements = new Map<string, ScopeRequirement>()
  readonly #uses = new Map<string, FieldUse>()
  readonly #argumentChecks: (GraphQLError | PageWithCursors)[] = []
  readonly #fragmentPrices = new Map<string, Price>()
  /** Validation has checked all arguments but those that a variable with a default may leave null. */
  readonly #mayLackArguments: boolean
  #argumentErrors = 0
  #needsToken = false
  #isDryRun = false
  #isOfFeed = false

  constructor(executable: ExecutableOperation) {
    this.#executable = executable
    this.#mayLackArguments = mayLackArguments(executable)
  }

  analyze(): OperationAnalysis {
    const { schema, operation } = this.#executable
    const root = schema.getRootType(operation.operation)
    const price = root ? this.#priceOfSet(root, operation.selectionSet) : free
    return {
      roots: rootsOf(this.#executable),
      needsToken: this.#needsToken,
      requirements: [...this.#requirements.values()],
      uses: [...this.#uses.values()],
      argumentChecks: this.#argumentChecks,
      cost: Math.ceil(prices.statement + price.fixed + price.perRead),
      largestShare: price.largest,
      isDryRun: this.#isDryRun,
      isOfFeed: this.#isOfFeed,
    }
  }

  #priceOfSet(type: GraphQLCompositeType, { selections }: SelectionSetNode): Price {
    let price = free
    for (const node of selections) {
      if (!isIncluded(node, this.#executable.variableValues)) continue
      if (node.kind === 'Field') price = plus(price, this.#priceOfSelected(type, node))
      else if (node.kind === 'InlineFragment') price = plus(price, this.#priceOfFragment(type, node))
      else price = plus(price, this.#priceOfSpread(type, node.name.value))
    }
    return price
  }

  #priceOfSpread(type: GraphQLCompositeType, name: string): Price {
    const key = `${type.name}.${name}`
    const known = this.#fragmentPrices.get(key)
    if (known) return known
    const fragment = this.#executable.fragments[name]
    const price = fragment ? this.#priceOfFragment(type, fragment) : free
    this.#fragmentPrices.set(key, price)
    return price
  }

  #priceOfFragment(
    type: GraphQLCompositeType,
    { typeCondition, selectionSet }: FragmentDefinitionNode | InlineFragmentNode,
  ): Price {
    const on = typeCondition ? this.#executable.schema.getType(typeCondition.name.value) : type
    return isCompositeType(on) ? this.#priceOfSet(on, selectionSet) : free
  }

  #priceOfSelected(parent: GraphQLCompositeType, node: FieldNode): Price {
    const field = fieldOf(parent, node.name.value)
    if (!field) return free
    const price = this.#priceOfField(parent, field, node)
    return this.#isRoot(parent) ? asShare(price, node) : price
  }

  #priceOfField(parent: GraphQLCompositeType, field: Selected['field'], node: FieldNode): Price {
    const { schema, variableValues } = this.#executable
    if (field === TypeNameMetaFieldDef) return priceOf(schema, field, node, free)
    const type = getNamedType(field.type)
    const isIntrospection = isIntrospectionType(parent) || isIntrospectionType(type)
    if (!isIntrospection) this.#require(parent, field, node)
    if (field.extensions.returnsPrice) {
      this.#isDryRun ||= argumentDecoder(field, node)(variableValues).args.dryRun === true
      return free
    }
    const within = isCompositeType(type) && node.selectionSet ? this.#priceOfSet(type, node.selectionSet) : free
    if (isIntrospection) return priceOfIntrospection(field, within)
    const { cost, scopesOfArguments } = field.extensions
    const hasForms = field.args.some((argument) => argument.extensions.form?.fault)
    if (!cost?.requested && !hasForms && !(this.#mayLackArguments && node.arguments?.length)) {
      return priceOf(schema, field, node, within)
    }
    // The operation is refused anyway. Scopes that depend on the arguments of further fields are not reported then.
    if (this.#argumentErrors === maxErrors) return free
    const hasCursors = hasCursor(field, node)
    const decode = argumentDecoder(field, node)
    if (hasCursors) this.#argumentChecks.push({ node, decode })
    try {
      const decoded = decode(variableValues)
      const fault = faultIn(field, decoded.args)
      if (fault) return this.#refuse(invalid(fault), node)
      const price = priceOf(schema, field, node, within, decoded)
      for (const [name, sets] of scopesOfArguments?.(decoded.args, schema) ?? []) {
        this.#requirements.set(name, { sets, node, what: name, isRoot: true })
      }
      return price
    } catch (error) {
      // The range of a page with cursors reports the same error, together with those of its cursors.
      return hasCursors ? free : this.#refuse(error, node)
    }
  }

  #refuse(error: unknown, node: FieldNode): Price {
    this.#argumentChecks.push(argumentError(error, [node]))
    this.#argumentErrors += 1
    return free
  }

  #require(parent: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, node: FieldNode): void {
    const { requiredScopes: sets, needsToken, staysOpenTo = [], isOfFeed } = field.extensions
    const isRoot = this.#isRoot(parent)
    if (isOfFeed) this.#isOfFeed = true
    if (!sets && (!isRoot || needsToken === false)) return
    this.#needsToken = true
    const coordinate = `${parent.name}.${field.name}`
    const isWrite = isRoot && this.#executable.operation.operation === 'mutation'
    this.#uses.set(coordinate, { isWrite, sets: sets ?? [], staysOpenTo, node })
    if (sets) this.#requirements.set(coordinate, { sets, node, isRoot })
  }

  #isRoot(type: GraphQLCompositeType): boolean {
    const { schema, operation } = this.#executable
    return type === schema.getRootType(operation.operation)
  }
}

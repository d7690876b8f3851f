import {
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** A field of the schema with the nodes that select it with the same arguments. */
export type Selected = { readonly field: GraphQLField<unknown, unknown>; readonly nodes: FieldNode[] }

type Variables = Readonly<Record<string, unknown>>

/** What `@skip` and `@include` (GraphQL specification, section 3.13) say of a selection. */
export function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return true
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

/** The definition of a field, also where only one of the possible types has it. */
function fieldOf(schema: GraphQLSchema, type: GraphQLCompositeType, name: string) {
  const types = isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type]
  for (const candidate of types) {
    const field = 'getFields' in candidate ? candidate.getFields()[name] : undefined
    if (field) return field
  }
  return undefined
}

const slotsByOperation = new WeakMap<OperationDefinitionNode, Map<FieldNode, string>>()

/**
 * The slot of each field node of an operation: where in its parent's row its data stands. Aliases share a slot when their
 * arguments are the same, so what they select is read once; other arguments get a slot of their own. The names come from the
 * schema and from the order in the document, never from the values in it.
 */
function slotsOf({
  operation,
  fragments,
}: Pick<GraphQLResolveInfo, 'operation' | 'fragments'>): Map<FieldNode, string> {
  const known = slotsByOperation.get(operation)
  if (known) return known
  const slots = new Map<FieldNode, string>()
  const variants = new Map<string, string[]>()
  const assign = (node: FieldNode) => {
    const name = node.name.value
    const given = (node.arguments ?? []).map(print).sort().join()
    const seen = variants.get(name) ?? []
    if (!seen.includes(given)) variants.set(name, [...seen, given])
    const index = variants.get(name)?.indexOf(given) ?? 0
    slots.set(node, index === 0 ? name : `${name}_${index + 1}`)
  }
  for (const definition of [operation, ...Object.values(fragments)]) visit(definition, { Field: assign })
  slotsByOperation.set(operation, slots)
  return slots
}

/** The slot that the field which is being resolved has in its parent's row. */
export function slotOf(info: GraphQLResolveInfo): string {
  const [node] = info.fieldNodes
  return (node && slotsOf(info).get(node)) ?? info.fieldName
}

/** Reads the selection sets of one operation as its executor would merge them (GraphQL specification, section 6.3.2). */
export class Selection {
  readonly #schema: GraphQLSchema
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly #variables: Variables
  readonly #slots: Map<FieldNode, string>

  constructor(info: Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'operation' | 'variableValues'>) {
    this.#schema = info.schema
    this.#fragments = info.fragments
    this.#variables = info.variableValues
    this.#slots = slotsOf(info)
  }

  /**
   * What is selected on `type`, by slot. On an interface it is all that is selected on any of its types: a row of the other
   * type then has some slots that nobody reads.
   */
  fields(type: GraphQLCompositeType, nodes: readonly FieldNode[]): Map<string, Selected> {
    const found = new Map<string, Selected>()
    this.#collect(type, new Set(nodes.flatMap((node) => node.selectionSet ?? [])), found, new Set())
    return found
  }

  /** The nodes that select the field `name` of `type`, under any alias. */
  named(type: GraphQLCompositeType, nodes: readonly FieldNode[], name: string): FieldNode[] {
    return [...this.fields(type, nodes).values()].filter(({ field }) => field.name === name).flatMap((it) => it.nodes)
  }

  #collect(type: GraphQLCompositeType, sets: Set<SelectionSetNode>, found: Map<string, Selected>, spread: Set<string>) {
    for (const set of sets) {
      for (const node of set.selections) {
        if (!isIncluded(node, this.#variables)) continue
        if (node.kind === 'Field') this.#add(type, node, found)
        else if (node.kind === 'InlineFragment') this.#open(type, node, found, spread)
        else if (!spread.has(node.name.value)) {
          spread.add(node.name.value)
          const fragment = this.#fragments[node.name.value]
          if (fragment) this.#open(type, fragment, found, spread)
        }
      }
    }
  }

  #add(type: GraphQLCompositeType, node: FieldNode, found: Map<string, Selected>) {
    const slot = this.#slots.get(node) ?? node.name.value
    const selected = found.get(slot)
    if (selected) {
      selected.nodes.push(node)
      return
    }
    const field = fieldOf(this.#schema, type, node.name.value)
    if (field) found.set(slot, { field, nodes: [node] })
  }

  #open(
    type: GraphQLCompositeType,
    { typeCondition, selectionSet }: FragmentDefinitionNode | InlineFragmentNode,
    found: Map<string, Selected>,
    spread: Set<string>,
  ) {
    const on = typeCondition && this.#schema.getType(typeCondition.name.value)
    const opens = !on || (isCompositeType(on) && (on === type || doTypesOverlap(this.#schema, type, on)))
    if (opens) this.#collect(type, new Set([selectionSet]), found, spread)
  }
}

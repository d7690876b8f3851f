import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'

/** A field of the schema with the nodes that select it under one response key. */
export type Selected = { readonly field: GraphQLField<unknown, unknown>; readonly nodes: readonly FieldNode[] }

/** What is selected on an object, by response key, in the order of the response. */
export type Fields = ReadonlyMap<string, Selected>

/** What is selected on objects of one type. */
export type TypeSelection = { readonly of: GraphQLObjectType; readonly fields: Fields }

/** What selections depend on. */
export type SelectionContext = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** An operation with the values of its variables. */
export type ExecutableOperation = SelectionContext & Pick<GraphQLResolveInfo, 'operation'>

type Collected = {
  readonly type: GraphQLObjectType
  readonly found: Map<string, { readonly field: Selected['field']; readonly nodes: FieldNode[] }>
  readonly spread: Set<string>
}

/** The fields that no type declares (GraphQL specification, section 4). */
const metaFields = new Map([TypeNameMetaFieldDef, SchemaMetaFieldDef, TypeMetaFieldDef].map((it) => [it.name, it]))

/** The field of this name; undefined where the type has none. */
export function fieldOf(type: GraphQLCompositeType, name: string): Selected['field'] | undefined {
  return ('getFields' in type ? type.getFields()[name] : undefined) ?? metaFields.get(name)
}

/** What `@skip` and `@include` (GraphQL specification, section 3.13) say of a selection. */
export function isIncluded(node: SelectionNode, variables: SelectionContext['variableValues']): boolean {
  if (!node.directives?.length) return true
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

/** Merges the selection sets of an operation as every executor does (GraphQL specification, section 6.3.2). */
export class Selection {
  readonly #operation: SelectionContext

  constructor(operation: SelectionContext) {
    this.#operation = operation
  }

  /** What these sets select on each possible type of an object; only on the first where all types select the same. */
  byType(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): readonly TypeSelection[] {
    const possible = isObjectType(type) ? [type] : this.#operation.schema.getPossibleTypes(type)
    const selections = possible.map((of) => ({ of, fields: this.fields(of, sets) }))
    const [first, ...others] = selections
    if (!first) throw new TypeError(`${type.name} has no possible types`)
    return others.every(({ fields }) => areSame(fields, first.fields)) ? [first] : selections
  }

  /** What these sets select together on an object of that type. */
  fields(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Fields {
    const collected: Collected = { type, found: new Map(), spread: new Set() }
    for (const set of sets) this.#collect(set, collected)
    return collected.found
  }

  #collect(set: SelectionSetNode, collected: Collected): void {
    const { fragments, variableValues } = this.#operation
    for (const node of set.selections) {
      if (!isIncluded(node, variableValues)) continue
      if (node.kind === 'Field') this.#add(node, collected)
      else if (node.kind === 'InlineFragment') this.#open(node, collected)
      else if (!collected.spread.has(node.name.value)) {
        collected.spread.add(node.name.value)
        const fragment = fragments[node.name.value]
        if (fragment) this.#open(fragment, collected)
      }
    }
  }

  #add(node: FieldNode, { type, found }: Collected): void {
    const key = node.alias?.value ?? node.name.value
    const field = fieldOf(type, node.name.value)
    if (!field) throw new TypeError(`${type.name} has no field ${node.name.value}`)
    const known = found.get(key)
    if (known) known.nodes.push(node)
    else found.set(key, { field, nodes: [node] })
  }

  #open({ typeCondition, selectionSet }: FragmentDefinitionNode | InlineFragmentNode, collected: Collected): void {
    const { schema } = this.#operation
    const on = typeCondition ? schema.getType(typeCondition.name.value) : collected.type
    const applies = on === collected.type || (isAbstractType(on) && schema.isSubType(on, collected.type))
    if (applies) this.#collect(selectionSet, collected)
  }
}

/** The selection sets of nodes that are merged into one field. */
export function setsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}

/** Whether two types select the same, so that their rows need not be told apart. */
function areSame(one: Fields, other: Fields): boolean {
  const others = [...other]
  return (
    one.size === other.size &&
    [...one].every(([key, { field, nodes }], index) => {
      const [otherKey, selected] = others[index] ?? []
      return (
        key === otherKey &&
        field.name === selected?.field.name &&
        nodes.every((node, at) => node === selected.nodes[at]) &&
        nodes.length === selected.nodes.length
      )
    })
  )
}

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

/** What is selected on an object, by response key, in the order of the answer. */
export type Fields = ReadonlyMap<string, Selected>

/** What is selected on objects of one type. */
export type Variant = { readonly of: GraphQLObjectType; readonly fields: Fields }

/** An operation as far as its selections are concerned. */
export type Operation = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

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
export function isIncluded(node: SelectionNode, variables: Operation['variableValues']): boolean {
  if (!node.directives?.length) return true
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

/** Reads the selection sets of one operation as every executor merges them (GraphQL specification, section 6.3.2). */
export class Selection {
  readonly #operation: Operation

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /** What these sets select on each type that an object can be of; only the first type's where all are asked for the same. */
  variants(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): readonly Variant[] {
    const possible = isObjectType(type) ? [type] : this.#operation.schema.getPossibleTypes(type)
    const variants = possible.map((of) => ({ of, fields: this.fields(of, sets) }))
    const [first, ...others] = variants
    if (!first) throw new TypeError(`${type.name} has no possible types`)
    return others.every(({ fields }) => areSame(fields, first.fields)) ? [first] : variants
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

/** Whether two types of an interface are asked for the same, so that their rows need not be told apart. */
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

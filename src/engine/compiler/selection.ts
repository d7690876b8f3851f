import { collectFields, shouldIncludeNode } from '@graphql-tools/utils'
import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
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

/** Values of variables, by name: as they were sent, or coerced to their types. */
export type VariableValues = GraphQLResolveInfo['variableValues']

/** What selections depend on. */
export type SelectionContext = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** An operation with the values of its variables. */
export type ExecutableOperation = SelectionContext &
  Pick<GraphQLResolveInfo, 'operation'> & {
    /** Whether it is one of the server's own, whose statements stay prepared whatever clients send. */
    readonly isBuiltIn?: boolean
  }

/** The fields that no type declares (GraphQL specification, section 4). */
const metaFields = new Map([TypeNameMetaFieldDef, SchemaMetaFieldDef, TypeMetaFieldDef].map((it) => [it.name, it]))

/** The field of this name; undefined where the type has none. */
export function fieldOf(type: GraphQLCompositeType, name: string): Selected['field'] | undefined {
  return ('getFields' in type ? type.getFields()[name] : undefined) ?? metaFields.get(name)
}

/** What `@skip` and `@include` (GraphQL specification, section 3.13) say of a selection. */
export function isIncluded(node: SelectionNode, variables: SelectionContext['variableValues']): boolean {
  return !node.directives?.length || shouldIncludeNode(variables, node)
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
    const { schema, fragments, variableValues } = this.#operation
    const set = { kind: Kind.SELECTION_SET, selections: sets.flatMap(({ selections }) => selections) } as const
    const collected = collectFields(schema, fragments, variableValues, type, set).fields
    return new Map([...collected].map(([key, nodes]) => [key, { field: fieldIn(type, nodes), nodes }]))
  }
}

function fieldIn(type: GraphQLObjectType, [node]: readonly FieldNode[]): Selected['field'] {
  const field = node && fieldOf(type, node.name.value)
  if (!field) throw new TypeError(`${type.name} has no field ${node?.name.value}`)
  return field
}

/** The type of a field with a selection. */
export function compositeOf(field: Selected['field'] | undefined): GraphQLCompositeType {
  const type = field && getNamedType(field.type)
  if (!isCompositeType(type)) throw new TypeError(`The field ${field?.name} is a leaf, and has no rows`)
  return type
}

/** The type of a field with a connection, or with a part of one. */
export function partOfPage({ name, type }: Selected['field']): GraphQLObjectType {
  const part = getNamedType(type)
  if (!isObjectType(part)) throw new TypeError(`${name} is not part of a connection`)
  return part
}

/** The selection sets of nodes that are merged into one field. */
export function setsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}

/** Whether two types select the same, so that their rows need not be told apart. */
function areSame(one: Fields, other: Fields): boolean {
  const [these, those] = [one, other].map((fields) => [...fields].flatMap(([key, { nodes }]) => [key, ...nodes]))
  return these?.length === those?.length && these?.every((item, index) => item === those?.[index]) === true
}

import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isScalarType,
  isValueNode,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ExecutableOperation, VariableValues } from '../compiler/selection.ts'
import { type FieldError, Refusal } from '../errors.ts'
import type { Bounds, TextForm } from '../text/text-form.ts'
import { maxErrors } from './limits.ts'
import { documentError, graphQLError } from './mask.ts'

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** The form of a text, besides its type. The write checks it, too. */
    form?: TextForm
    /** The least and the greatest value of a number, which the write checks. */
    range?: Bounds
  }
  interface GraphQLArgumentExtensions {
    form?: TextForm
    range?: Bounds
  }
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    form?: TextForm
  }
}

/**
 * What the rules of the domain say of the input of a mutation whose variables do not have their types, as far as they have: without this,
 * a client would learn of one fault after another.
 */
export function ruleErrors(
  schema: GraphQLSchema,
  { selectionSet: { selections } }: OperationDefinitionNode,
  coerced: VariableValues,
): GraphQLError[] {
  const fields = schema.getMutationType()?.getFields() ?? {}
  return selections.flatMap((node) => {
    if (node.kind !== Kind.FIELD) return []
    const found = (fields[node.name.value]?.args ?? []).flatMap(({ name, type }) => {
      const given = node.arguments?.find((argument) => argument.name.value === name)
      return given ? brokenRules(type, valueFromASTUntyped(given.value, coerced), [name]) : []
    })
    return found.map((error) => {
      const refusal = new Refusal('VALIDATION_FAILED', `${error.field} ${error.message}`, { errors: [error] })
      return graphQLError(refusal, 'operation', { nodes: [node] })
    })
  })
}

/** The errors of an invalid document, with those of the rules for the values in it. */
export function withRuleErrors(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  const known = new Set(errors.flatMap(namedFields))
  const broken = definitions.flatMap((it) =>
    it.kind === Kind.OPERATION_DEFINITION && it.operation === 'mutation' ? ruleErrors(schema, it, {}) : [],
  )
  const others = broken.filter((error) => !namedFields(error).some((field) => known.has(field)))
  return [...errors, ...others.slice(0, Math.max(0, maxErrors - errors.length))]
}

/** The fields that an error names. */
const namedFields = ({ originalError: refusal }: GraphQLError): string[] =>
  (refusal instanceof Refusal ? (refusal.details.errors ?? []) : []).map(({ field }) => field)

function brokenRules(type: GraphQLInputType, value: unknown, path: Path): FieldError[] {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return []
  const given = new Map(Object.entries(Object(value)))
  return Object.values(named.getFields()).flatMap(({ name, type, extensions: { form } }) => {
    const inner = given.get(name)
    const message = typeof inner === 'string' ? form?.fault?.(inner) : undefined
    const field = [...path, name]
    return message === undefined ? brokenRules(type, inner, field) : [{ field: fieldAt(field), message }]
  })
}

declare module 'graphql' {
  interface GraphQLScalarTypeExtensions {
    form?: TextForm
    /** What a value must be, such as "must be a UUID". */
    requirement?: string
  }
}

const builtIn = new Map([
  ['String', 'must be a string'],
  ['ID', 'must be a string'],
  ['Boolean', 'must be true or false'],
  ['Int', 'must be a 32-bit whole number'],
  ['Float', 'must be a finite number'],
])

/** The names of an argument and of fields, and the indexes of list items, that lead to a value. */
export type Path = readonly (string | number)[]

/**
 * A path from an argument as the caller would write it, such as `by[1].uuid`. That in the `input` of a mutation begins there:
 * `scopes[0]`.
 */
export function fieldAt(path: Path): string {
  const within = path[0] === 'input' && path.length > 1 ? path.slice(1) : path
  return within.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')
}

/** Where an operation first uses each of its variables. */
export function pathsOfVariables({ operation, fragments }: Pick<ExecutableOperation, 'operation' | 'fragments'>) {
  const paths = new Map<string, Path>()
  const path: (string | number)[] = []
  const visitor: ASTVisitor = {
    enter: (node, key) => {
      const step = stepTo(node, key)
      if (step !== undefined) path.push(step)
      if (node.kind === Kind.VARIABLE && !paths.has(node.name.value)) paths.set(node.name.value, [...path])
    },
    leave: (node, key) => {
      if (stepTo(node, key) !== undefined) path.pop()
    },
  }
  const definitions = [operation, ...Object.values(fragments)]
  for (const definition of definitions) visit({ ...definition, variableDefinitions: [] }, visitor)
  return paths
}

/** What is wrong with null. */
export const required = 'is required'

/** The required field that an input lacks, according to GraphQL.js. Only the message tells. */
export const missingField = (message: string) => /^Field "(?:\w+\.)?(\w+)" of required type /.exec(message)?.[1]

/** What an invalid value must be. Undefined if it is an object of the right kind, whose fields are wrong. */
export function requirementOf(type: GraphQLInputType, isObject: boolean): string | undefined {
  const named = getNamedType(type)
  if (isInputObjectType(named)) return isObject ? undefined : 'must be an object'
  if (isEnumType(named)) return `must be a value of ${named.name}`
  return isScalarType(named) ? (named.extensions.requirement ?? builtIn.get(named.name)) : undefined
}

/** The errors of an invalid document. Those of values say where the value is and what it must be. */
export function documentErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  const errorOf = new Map(errors.map((error) => [error.nodes?.length === 1 ? error.nodes[0] : undefined, error]))
  const described = new Map<GraphQLError, GraphQLError>()
  const info = new TypeInfo(schema)
  const path: (string | number)[] = []
  const uses = usesIn(document)
  const visitor = visitWithTypeInfo(info, {
    enter: (node, key) => {
      if (node.kind === Kind.VARIABLE_DEFINITION) path.push(...(uses.get(node) ?? []))
      const step = stepTo(node, key)
      if (step !== undefined) path.push(step)
      const error = isValueNode(node) ? errorOf.get(node) : undefined
      const type = info.getInputType()
      if (!error || !type) return
      const what = node.kind === Kind.NULL ? required : requirementOf(type, node.kind === Kind.OBJECT)
      const missing = missingField(error.message)
      if (missing) described.set(error, invalidValue(error, fieldAt([...path, missing]), required))
      else if (what !== undefined) described.set(error, invalidValue(error, fieldAt(path), what))
    },
    leave: (node, key) => {
      if (node.kind === Kind.VARIABLE_DEFINITION) path.length = 0
      if (stepTo(node, key) !== undefined) path.pop()
    },
  })
  visit(document, visitor)
  return errors.map((error) => described.get(error) ?? documentError('VALIDATION_FAILED', error))
}

/** Where the default values of a document are used. */
function usesIn({ definitions }: DocumentNode): ReadonlyMap<ASTNode, Path> {
  const fragments = Object.fromEntries(
    definitions.flatMap((it) => (it.kind === Kind.FRAGMENT_DEFINITION ? [[it.name.value, it]] : [])),
  )
  const uses = definitions.flatMap((operation) => {
    if (operation.kind !== Kind.OPERATION_DEFINITION) return []
    const paths = pathsOfVariables({ operation, fragments })
    return (operation.variableDefinitions ?? []).map(
      (it) => [it, paths.get(it.variable.name.value) ?? [it.variable.name.value]] as const,
    )
  })
  return new Map(uses)
}

/** What a node of a document adds to the path of the values in it. Of all values, only list items have an index as their key. */
function stepTo(node: ASTNode, key: string | number | undefined): string | number | undefined {
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return node.name.value
  return isValueNode(node) && typeof key === 'number' ? key : undefined
}

/** The error of an invalid value, at the place of another error. It names the value by its path. */
export function invalidValue(error: GraphQLError, field: string, what: string): GraphQLError {
  const refusal = new Refusal('VALIDATION_FAILED', `The value of ${field} ${what}.`, {
    errors: [{ field, message: what }],
  })
  return graphQLError(refusal, 'operation', error)
}

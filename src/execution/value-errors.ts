import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isScalarType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type FieldError, Refusal } from '../errors.ts'
import { masked, requestError } from './mask.ts'

declare module 'graphql' {
  interface GraphQLScalarTypeExtensions {
    /** What a value must be, such as "must be a UUID". */
    requirement?: string
  }
}

const builtIn = new Map([
  ['String', 'must be a string'],
  ['ID', 'must be a string'],
  ['Boolean', 'must be true or false'],
  ['Int', 'must be a 32-bit whole number'],
])

/** What a value of a scalar or an enum must be. Undefined for other types. */
function requirementOf(type: GraphQLInputType): string | undefined {
  const named = getNamedType(type)
  if (isEnumType(named)) return `must be a value of ${named.name}`
  return isScalarType(named) ? (named.extensions.requirement ?? builtIn.get(named.name)) : undefined
}

const required = 'is required'

/** The error of a variable whose value does not match its type. It names the field as the caller wrote it. */
export function variableError(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  const definition = error.nodes?.find((node) => node.kind === Kind.VARIABLE_DEFINITION)
  const name = definition?.variable.name.value ?? ''
  const { message } = error.originalError ?? {}
  if (message === undefined) return withErrors(error, error.message, { field: name, message: required })
  // graphql-js has the path only in the whole message, just before the original one.
  const before = error.message.slice(0, -message.length)
  const field = before.match(/ at "([^"]+)"; $/)?.[1] ?? name
  const type = definition && typeFromAST(schema, definition.type)
  const place = type && isInputType(type) ? typeAt(type, field.slice(name.length)) : undefined
  const what = message.startsWith('Expected non-nullable type') ? required : place && requirementOf(place)
  if (what === undefined) return withErrors(error, error.message, { field, message })
  return withErrors(error, `${before}it ${what}.`, { field, message: what })
}

/** The type at a path in an input type, such as `.scopes[0]`. */
function typeAt(type: GraphQLInputType, path: string): GraphQLInputType | undefined {
  let at: GraphQLInputType | undefined = type
  for (const [, name] of path.matchAll(/\.(\w+)|\[\d+\]/g)) {
    const outer: GraphQLInputType | undefined = at && getNullableType(at)
    // A single value counts as a list of one.
    if (name === undefined) at = isListType(outer) ? outer.ofType : outer
    else {
      const named: unknown = outer && getNamedType(outer)
      at = isInputObjectType(named) ? named.getFields()[name]?.type : undefined
    }
  }
  return isListType(at && getNullableType(at)) ? undefined : at
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
  const path: string[] = []
  const visitor = visitWithTypeInfo(info, {
    enter: (node) => {
      if (node.kind === Kind.VARIABLE_DEFINITION) path.push(node.variable.name.value)
      else if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value)
      const error = isValue(node.kind) ? errorOf.get(node) : undefined
      const type = info.getInputType()
      const what = type ? (node.kind === Kind.NULL ? required : requirementOf(type)) : undefined
      if (!error || what === undefined) return
      const field = path.join('.')
      described.set(error, withErrors(error, `The value of ${field} ${what}.`, { field, message: what }))
    },
    leave: ({ kind }) => {
      if (kind === Kind.VARIABLE_DEFINITION || kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD) path.pop()
    },
  })
  visit(document, visitor)
  return errors.map((error) => described.get(error) ?? requestError('VALIDATION_FAILED', error))
}

const values = new Set<string>([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
])
const isValue = (kind: string) => values.has(kind)

function withErrors(error: GraphQLError, message: string, field: FieldError): GraphQLError {
  return masked(new Refusal('VALIDATION_FAILED', message, { errors: [field] }), error)
}

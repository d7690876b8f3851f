import {
  coerceInputValue,
  GraphQLError,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql'
import type { ExecutableOperation, VariableValues } from '../compiler/selection.ts'
import { Refusal } from '../errors.ts'
import { maxErrors } from './limits.ts'
import { graphQLError } from './mask.ts'
import {
  fieldAt,
  invalidValue,
  missingField,
  type Path,
  pathsOfVariables,
  required,
  requirementOf,
  ruleErrors,
} from './value-errors.ts'

/** Variables that are coerced to their types, or what is wrong with them. */
type CoercedVariables =
  | { readonly coerced: VariableValues; readonly errors?: undefined }
  | { readonly errors: readonly GraphQLError[]; readonly coerced?: undefined }

/** Is thrown when enough errors were found. */
const enough = new Error('Enough errors were found')

/**
 * Coerces the variables of a valid operation to their types (GraphQL specification, section 6.1.2). Unlike those of GraphQL.js, its
 * errors do not repeat the values, since writing 64 KiB twenty times would take tens of milliseconds, and are those of the rules of the
 * input, too, so that a form shows all of them. They can do without suggestions of names of the schema.
 */
export function coerceVariables(
  { schema, operation, fragments }: Pick<ExecutableOperation, 'schema' | 'operation' | 'fragments'>,
  sent: VariableValues,
  hidesSuggestions: boolean,
): CoercedVariables {
  const { variableDefinitions = [] } = operation
  const errors: GraphQLError[] = []
  let paths: ReadonlyMap<string, Path> | undefined
  const fieldOf = (name: string, path: Path = []) => {
    paths ??= pathsOfVariables({ operation, fragments })
    return fieldAt([...(paths.get(name) ?? [name]), ...path])
  }
  const add = (error: GraphQLError) => {
    errors.push(error)
    if (errors.length === maxErrors) throw enough
  }
  const coerced = new Map<string, unknown>()
  try {
    for (const definition of variableDefinitions) {
      const name = definition.variable.name.value
      const type = typeFromAST(schema, definition.type)
      if (!isInputType(type)) throw new TypeError(`The type of the variable ${name} is not an input type`)
      const isSent = Object.hasOwn(sent, name)
      if (!isSent && definition.defaultValue) coerced.set(name, valueFromAST(definition.defaultValue, type))
      else if (!isSent && isNonNullType(type)) add(invalidValue(errorAt(definition), fieldOf(name), required))
      else if (isSent) {
        const refuse = (path: Path, value: unknown, { message }: GraphQLError) => {
          const missing = missingField(message)
          if (missing) add(invalidValue(errorAt(definition), fieldOf(name, [...path, missing]), required))
          else add(valueError(errorAt(definition), fieldOf(name, path), typeAt(type, path), value, message))
        }
        coerced.set(name, coerceInputValue(sent[name], type, refuse, hidesSuggestions))
      }
    }
    if (errors.length > 0) for (const error of ruleErrors(schema, operation, Object.fromEntries(coerced))) add(error)
  } catch (error) {
    if (error !== enough) throw error
  }
  return errors.length > 0 ? { errors } : { coerced: Object.fromEntries(coerced) }
}

const errorAt = (nodes: VariableDefinitionNode) => new GraphQLError('', { nodes })

/** The type at a path in an input type, without its lists. */
function typeAt(type: GraphQLInputType, path: Path): GraphQLInputType {
  return path.reduce<GraphQLInputType>((outer, key) => {
    const field = isInputObjectType(outer) && typeof key === 'string' ? outer.getFields()[key] : undefined
    return field ? getNamedType(field.type) : outer
  }, getNamedType(type))
}

/** The error of a value that does not match its type. GraphQL.js explains it with a message. */
function valueError(place: GraphQLError, field: string, type: GraphQLInputType, value: unknown, message: string) {
  if (value === null) return invalidValue(place, field, required)
  const isObject = typeof value === 'object' && !Array.isArray(value)
  const what = requirementOf(type, isObject)
  if (what !== undefined) return invalidValue(place, field, what)
  return graphQLError(new Refusal('VALIDATION_FAILED', message, { errors: [{ field, message }] }), 'operation', place)
}

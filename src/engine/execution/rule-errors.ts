import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql'
import type { VariableValues } from '../compiler/selection.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { maxErrors } from './limits.ts'
import { graphQLError } from './mask.ts'
import { fieldAt, type Path } from './value-errors.ts'

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** The rule of the domain for a text, besides its type. The write checks it, too. */
    rule?: (text: string) => FieldError | undefined
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
  const known = new Set(errors.flatMap(fieldsOf))
  const broken = definitions.flatMap((it) =>
    it.kind === Kind.OPERATION_DEFINITION && it.operation === 'mutation' ? ruleErrors(schema, it, {}) : [],
  )
  const others = broken.filter((error) => !fieldsOf(error).some((field) => known.has(field)))
  return [...errors, ...others.slice(0, Math.max(0, maxErrors - errors.length))]
}

/** The fields that an error names. */
const fieldsOf = ({ originalError: refusal }: GraphQLError): string[] =>
  (refusal instanceof Refusal ? (refusal.details.errors ?? []) : []).map(({ field }) => field)

function brokenRules(type: GraphQLInputType, value: unknown, path: Path): FieldError[] {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return []
  const given = new Map(Object.entries(Object(value)))
  return Object.values(named.getFields()).flatMap(({ name, type, extensions: { rule } }) => {
    const inner = given.get(name)
    const message = rule && typeof inner === 'string' ? rule(inner)?.message : undefined
    const field = [...path, name]
    return message === undefined ? brokenRules(type, inner, field) : [{ field: fieldAt(field), message }]
  })
}

import {
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLInputField,
  type GraphQLInputType,
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
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { invalid } from '../errors.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { latestTime } from '../schema/scalars.ts'
import { nameInRest } from './openapi/json.ts'

/** Values for the variables of a document, by name. Those that a document does not declare are ignored. */
export type Variables = Readonly<Record<string, unknown>>

/** A variable of a document: its type, its default value, and the first argument or field of an input that it sets. */
export type Variable = {
  readonly type: GraphQLInputType
  readonly initial: unknown
  readonly use: GraphQLArgument | GraphQLInputField
}

/** The variables of a document, by their names. */
export type DeclaredVariables = ReadonlyMap<string, Variable>

/** What the variables of a document are, in their order. */
export function variablesOf({ schema, document, operation }: PreparedOperation): DeclaredVariables {
  const uses = new Map<string, Variable['use']>()
  const info = new TypeInfo(schema)
  const note = (value: ValueNode, use: Variable['use'] | null | undefined) => {
    if (value.kind === Kind.VARIABLE && use && !uses.has(value.name.value)) uses.set(value.name.value, use)
  }
  const visitor = visitWithTypeInfo(info, {
    Argument: ({ value }) => note(value, info.getArgument()),
    ObjectField: ({ name, value }) => {
      const input = getNamedType(info.getParentInputType())
      note(value, isInputObjectType(input) ? input.getFields()[name.value] : undefined)
    },
  })
  visit(document, visitor)
  const declared = (operation.variableDefinitions ?? []).flatMap(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value
    const [type, use] = [typeFromAST(schema, node), uses.get(name)]
    const initial = defaultValue && valueFromASTUntyped(defaultValue)
    return use && isInputType(type) ? [[name, { type, use, initial }] as const] : []
  })
  return new Map(declared)
}

const mostSeconds = Math.floor(latestTime / 1_000)

/**
 * A value as GraphQL has it: of an enum, the name, and a time as text. Throws `VALIDATION_FAILED` for a value that is neither, and for a
 * list that is none.
 */
function graphQLValue(field: string, type: GraphQLInputType, value: unknown): unknown {
  const named = getNullableType(type)
  if (isScalarType(named) && named.name === 'DateTime') {
    const seconds = Number.isInteger(value) ? Number(value) : -1
    if (seconds < 0 || seconds > mostSeconds) throw invalid({ field, message: 'must be a time in Unix seconds' })
    return new Date(seconds * 1_000).toISOString()
  }
  if (isListType(named)) {
    if (!Array.isArray(value)) throw invalid({ field, message: 'must be a list' })
    return value.map((item, at) => graphQLValue(`${field}[${at}]`, named.ofType, item))
  }
  if (!isEnumType(named)) return value
  const values = named.getValues()
  const found = values.find((it) => nameInRest(it) === value)
  if (!found) throw invalid({ field, message: `must be one of ${values.map(nameInRest).join(', ')}` })
  return found.name
}

/** The value of a parameter of a query. */
function queryValue(field: string, type: GraphQLInputType, value: string | null): unknown {
  const isFlag = getNullableType(type) === GraphQLBoolean && (value === 'true' || value === 'false')
  return isFlag ? value === 'true' : graphQLValue(field, type, value)
}

/** The parameters of a query, which set the variables of the same names, as `bodyVariables` has fields. */
export function queryVariables(
  query: URLSearchParams,
  parameters: Readonly<Record<string, unknown>>,
  declared: DeclaredVariables,
): Variables {
  const values = Object.keys(parameters).flatMap((name) => {
    const variable = declared.get(name)
    if (!variable || !query.has(name)) return []
    const isRepeatable = isListType(getNullableType(variable.type))
    return [[name, isRepeatable ? query.getAll(name) : queryValue(name, variable.type, query.get(name))]]
  })
  return Object.fromEntries(values)
}

/** What a body sets: the variables of the document that nothing else sets. */
export function bodyFields(path: string, declared: DeclaredVariables): DeclaredVariables {
  const others = ['ifUnchangedSince', ...(path.includes('{') ? ['uuid', 'by'] : [])]
  return new Map([...declared].filter(([name]) => !others.includes(name)))
}

/** The fields of a body as variables, and the aliases that were sent, by the names of their fields. */
type BodyVariables = { readonly variables: Variables; readonly aliases: ReadonlyMap<string, string> }

/**
 * The known fields of a body as variables, whose types GraphQL checks. Null counts as absent, and an alias only counts where its
 * field is absent. Throws `VALIDATION_FAILED` when the body is not a JSON object, an alias beside its field is not a flag, or a
 * value is not in its enum or no time.
 */
export function bodyVariables(
  body: unknown,
  fields: DeclaredVariables,
  aliases: Readonly<Record<string, string>> = {},
): BodyVariables {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ field: 'body', message: 'must be a JSON object' })
  }
  const sent = new Map<string, unknown>(Object.entries(body).filter(([, value]) => value !== null))
  const sentAliases = Object.entries(aliases).filter(([alias]) => sent.has(alias))
  for (const [alias, name] of sentAliases) {
    if (sent.has(name) && typeof sent.get(alias) !== 'boolean')
      throw invalid({ field: alias, message: 'must be true or false' })
  }
  const used = sentAliases.filter(([, name]) => !sent.has(name))
  const variables = [...fields].flatMap(([name, { type }]) =>
    sent.has(name) ? [[name, graphQLValue(name, type, sent.get(name))]] : [],
  )
  return {
    variables: Object.fromEntries([...variables, ...used.map(([alias, name]) => [name, sent.get(alias)])]),
    aliases: new Map(used.map(([alias, name]) => [name, alias])),
  }
}

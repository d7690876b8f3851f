import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql'
import { type Pools, randomQuery } from '../random-selection.ts'
import { plainSchema } from '../reference.ts'

/** A document with its variables. */
export type RandomOperation = { readonly query: string; readonly variables: unknown }

const dates = fc.constantFrom('2026-01-01T00:00:00Z', '2999-12-31T23:59:59+14:00', '1970-01-01', 'now', '')
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', 'a'.repeat(501), '\ud800', '\0', 'https://client.example/', 'robin', 'robin@example.org'),
)

function scalars(name: string, { uuid, id }: Pools): fc.Arbitrary<unknown> {
  if (name === 'UUID') return uuid
  if (name === 'ID') return id
  if (name === 'Boolean') return fc.boolean()
  if (name === 'Int') return fc.integer()
  return name === 'DateTime' ? dates : texts
}

/** Values of an input type, most of which are valid. */
function inputs(type: GraphQLInputType, pools: Pools): fc.Arbitrary<unknown> {
  const inner = getNullableType(type)
  return fc.oneof(
    { weight: 20, arbitrary: validInputs(inner, pools) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

function validInputs(type: GraphQLInputType, pools: Pools): fc.Arbitrary<unknown> {
  if (isListType(type)) return fc.array(inputs(type.ofType, pools), { maxLength: 3 })
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name)
    const values = Object.fromEntries(fields.map((field) => [field.name, inputs(field.type, pools)]))
    return fc.record(values, { requiredKeys: required })
  }
  return isScalarType(type) ? scalars(type.name, pools) : fc.constant(null)
}

/** What tells most about an object of each type. */
const selections: Readonly<Record<string, string>> = {
  User: '{ uuid username email emailVerified likes(first: 3) { nodes { content } } followers(first: 3) { nodes { email } } }',
  Publication:
    '{ uuid content author { email } likers(first: 3) { nodes { email } } ... on Reply { parent { content } } }',
  Reply: '{ uuid content author { email } parent { content author { email } } }',
  AccessToken: '{ id name scopes }',
  Application: '{ id name website }',
}

function selectionOf(type: GraphQLNamedType): string {
  const known = selections[type.name]
  if (known !== undefined || !isObjectType(type)) return known ?? ''
  const fields = Object.values(type.getFields())
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(getNamedType(field.type))}`).join(' ')} }`
}

function mutations(field: GraphQLField<unknown, unknown>, pools: Pools): fc.Arbitrary<RandomOperation> {
  const [argument] = field.args
  const selection = selectionOf(getNamedType(field.type))
  if (argument === undefined) throw new TypeError(`${field.name} has no input`)
  const query = `mutation ($input: ${argument.type}) { ${field.name}(input: $input) ${selection} }`
  return inputs(argument.type, pools).map((input) => ({ query, variables: { input } }))
}

const words = [
  '{',
  '}',
  '(',
  ')',
  ':',
  '$',
  '@skip',
  '...',
  'on',
  'query',
  'mutation',
  'fragment',
  '"',
  '"""',
  '#',
  '!',
  '[',
  ']',
]
const names = [
  'viewer',
  'email',
  '__schema',
  '__type',
  'node',
  'accessTokens',
  'User',
  'input',
  'true',
  '1e9',
  '-1',
  '\u00e9',
  '\0',
]
const soups = fc
  .array(fc.constantFrom(...words, ...names), { maxLength: 30 })
  .map((some) => ({ query: some.join(' '), variables: {} }))

const repeated = (text: string) => (times: number) => ({ query: `{ viewer { ${text.repeat(times)} } }`, variables: {} })
const large = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }).map(repeated('uuid ')),
  fc.integer({ min: 1, max: 600 }).map((times) => repeated('following(first: 100) { nodes { ')(times)),
)

/** Queries that show as much as they can of everybody. */
function curious({ by, id }: Pools): fc.Arbitrary<RandomOperation> {
  const person = 'email emailVerified likes(first: 5) { nodes { content author { email } } }'
  const post = 'content author { email } likers(first: 5) { nodes { email } }'
  const query = `query ($by: [UserBy!]!, $ids: [ID!]!) {
    viewer { ${person} }
    users(by: $by) { ${person} posts(first: 5) { nodes { ${post} } } }
    publicTimeline(first: 10) { nodes { ${post} replies(first: 3) { nodes { ${post} parent { content } } } } }
    nodes(ids: $ids) { ... on User { email } ... on AccessToken { name } ... on Publication { ${post} } }`
  const own = 'accessTokens { nodes { name } } applications { nodes { name website } }'
  return fc
    .record({ ids: fc.array(id, { maxLength: 5 }), by: fc.array(by, { maxLength: 3 }) })
    .chain((variables) =>
      fc.constantFrom({ query: `${query} }`, variables }, { query: `${query} ${own} }`, variables }),
    )
}

/** Operations of the schema with objects from the pools, and texts that look like operations. */
export function randomOperations(pools: Pools): fc.Arbitrary<RandomOperation> {
  const fields = Object.values(plainSchema.getMutationType()?.getFields() ?? {})
  return fc.oneof(
    {
      weight: 5,
      arbitrary: randomQuery(plainSchema, pools).map(({ source, variables }) => ({ query: source, variables })),
    },
    { weight: 5, arbitrary: fc.oneof(...fields.map((field) => mutations(field, pools))) },
    { weight: 2, arbitrary: curious(pools) },
    { weight: 1, arbitrary: soups },
    { weight: 1, arbitrary: large },
  )
}

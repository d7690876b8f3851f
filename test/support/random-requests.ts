import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { places, randomRequests } from './random-inputs.ts'
import { type Pools, randomQuery } from './random-selection.ts'
import { plainSchema } from './reference.ts'

/** A request as its bytes: the path is sent unchanged. */
export type RandomHttpRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const oneOf = (...some: string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...some) }, { weight: 1, arbitrary: fc.string({ maxLength: 20 }) })

/** Headers that the service reads, broken ones included, and entity tags and keys that another account uses. */
function randomHeaders(known: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const all = {
    accept: oneOf('*/*', 'text/html', 'application/problem+json', 'image/png', 'application/json;q=x', ';'),
    'accept-encoding': oneOf('identity', '*;q=0', 'gzip;q=9', ',;'),
    'idempotency-key': oneOf('"', 'a b', 'a'.repeat(256), ...known),
    'if-match': oneOf('*', '"x"', 'W/"x"', '"a", "b"', ',', ...known),
    'if-none-match': oneOf('*', '"x"', '"', ...known),
    'content-type': oneOf('APPLICATION/JSON ;', 'text/plain', 'application/json; charset=utf-16'),
    'x-request-id': oneOf('1', 'a'.repeat(300)),
    authorization: oneOf('Bearer', 'Basic YWRhOmFkYQ==', `Bearer rookery_${'A'.repeat(43)}`),
    origin: oneOf('null', 'https://elsewhere.example'),
  }
  const fields = Object.entries(all).map(([name, value]) =>
    value.map((text) => ({ [name]: text.replace(/[^ -~]/g, '') })),
  )
  return fc.array(fc.oneof(...fields), { maxLength: 2 }).map((some) => Object.assign({}, ...some))
}

/** The text, occasionally with some characters replaced. */
function mostly(texts: fc.Arbitrary<string>, ...fragments: string[]): fc.Arbitrary<string> {
  const damaged = texts.chain((text) =>
    fc
      .tuple(fc.nat(text.length), fc.nat(3), fc.constantFrom('', ...fragments))
      .map(([at, cut, fragment]) => text.slice(0, at) + fragment + text.slice(at + cut)),
  )
  return fc.oneof({ weight: 5, arbitrary: texts }, { weight: 1, arbitrary: damaged })
}

const damagedJson = (texts: fc.Arbitrary<string>) => mostly(texts, '"', '{', ']', '\\ud800', '\0', '1e999', '\ufeff')
const jsonType = { 'content-type': 'application/json' }

/** Requests to the REST interface: mostly those that the document allows, with some part broken. */
export function randomRestRequests(known: readonly string[]): fc.Arbitrary<RandomHttpRequest> {
  const methods = fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PROPFIND')
  const all = places.map((place) => {
    const requests = randomRequests(place)
    const paths = requests.map(({ path }) => `/api/v1${path}`)
    return fc.record({
      method: fc.oneof({ weight: 9, arbitrary: fc.constant(place.method) }, { weight: 1, arbitrary: methods }),
      path: mostly(paths, '/', '%', '%ff', '%00', '/..', '?', '&uuid=', '#'),
      headers: randomHeaders(known).map((headers) => ({ ...jsonType, ...headers })),
      body: place.operation.requestBody
        ? damagedJson(requests.map(({ body }) => String(body)))
        : fc.constant(undefined),
    })
  })
  return fc.oneof(...all)
}

/** Values of an input type, most of which are valid. */
function inputs(type: GraphQLInputType, pools: Pools): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 20, arbitrary: validInputs(getNullableType(type), pools) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
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
  const scalars: Record<string, fc.Arbitrary<unknown>> = {
    UUID: pools.uuid,
    ID: pools.id,
    Boolean: fc.boolean(),
    Int: fc.integer(),
    DateTime: fc.constantFrom('2999-12-31T23:59:59+14:00', '1970-01-01', 'now'),
  }
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(' ', 'a'.repeat(501), '\ud800', 'robin', 'robin@example.org', 'https://client.example/'),
  )
  return scalars[String(type)] ?? texts
}

function mutations({ name, args, type }: GraphQLField<unknown, unknown>, pools: Pools) {
  const [argument] = args
  if (argument === undefined) throw new TypeError(`${name} has no input`)
  const selection = isCompositeType(getNullableType(type)) ? ' { __typename }' : ''
  const query = `mutation ($input: ${argument.type}) { ${name}(input: $input)${selection} }`
  return inputs(argument.type, pools).map((input) => ({ query, variables: { input } }))
}

/** Requests to `/graphql`, in a body or a URL, with some part broken. */
export function randomGraphQLRequests(pools: Pools, known: readonly string[]): fc.Arbitrary<RandomHttpRequest> {
  const person = 'email emailVerified likes(first: 5) { nodes { content author { email } } }'
  const curious = `query ($by: [UserBy!]!, $ids: [ID!]!) {
    users(by: $by) { ${person} posts(first: 5) { nodes { content likers(first: 5) { nodes { email } } } } }
    publicTimeline(first: 10) { nodes { author { email } replies(first: 3) { nodes { parent { content } } } } }
    nodes(ids: $ids) { ... on User { email } ... on AccessToken { name } ... on Publication { content } } }`
  const fields = Object.values(plainSchema.getMutationType()?.getFields() ?? {})
  const operations = fc.oneof(
    randomQuery(plainSchema, pools).map(({ source, variables }) => ({ query: source, variables })),
    fc.oneof(...fields.map((field) => mutations(field, pools))),
    fc
      .record({ ids: fc.array(pools.id, { maxLength: 5 }), by: fc.array(pools.by, { maxLength: 3 }) })
      .map((variables) => ({ query: curious, variables })),
  )
  const inBody = fc.record({
    method: fc.oneof({ weight: 15, arbitrary: fc.constant('POST') }, fc.constantFrom('PUT', 'OPTIONS')),
    path: fc.constantFrom('/graphql', '/graphql/'),
    headers: randomHeaders(known).map((headers) => ({ ...jsonType, ...headers })),
    body: damagedJson(operations.map((operation) => JSON.stringify(operation))),
  })
  const inUrl = fc.record({
    method: fc.constantFrom('GET', 'HEAD'),
    path: mostly(
      operations.map(({ query }) => `/graphql?query=${encodeURIComponent(query).slice(0, 8_000)}`),
      '%',
      '%ff',
      '&query=',
    ),
    headers: randomHeaders(known),
    body: fc.constant(undefined),
  })
  return fc.oneof({ weight: 5, arbitrary: inBody }, { weight: 1, arbitrary: inUrl })
}

import fc from 'fast-check'
import type { Caller } from './request.ts'

/** Values that other accounts use, or that the server must not take for others. */
export type Known = {
  /** Idempotency keys and entity tags of another account. */
  readonly keys: readonly string[]
  /** A GraphQL request that the other account has sent with each of these keys. */
  readonly retried: string
  readonly tags: readonly string[]
}

export const callers: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('viewer') },
  { weight: 4, arbitrary: fc.constant('narrow') },
  { weight: 3, arbitrary: fc.constantFrom('revoked', 'nobody') },
)

/** Header values: bytes that Node.js can send. */
const anyValue = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((it) => it !== 0x7f)
    .map((it) => String.fromCharCode(it)),
  maxLength: 40,
})

const oneOf = (...some: string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...some) }, { weight: 1, arbitrary: anyValue })

const unknownToken = `rookery_${'A'.repeat(43)}`

const notTokens = [
  ...['', 'Bearer', 'Bearer ', 'bearer x', 'Basic YWRhOmFkYQ==', unknownToken, `Bearer ${unknownToken}`],
  ...[`Bearer ${unknownToken} ${unknownToken}`, `Token ${unknownToken}`, `Bearer\t${unknownToken}`, 'Bearer rookery_é'],
]

const tagsAnd = (tags: readonly string[]) => oneOf('*', '"x"', 'W/"x"', '"', 'x', '"a", "b"', ',', '"x" "y"', ...tags)

/** Headers that the service reads, broken ones included. `Authorization` is only for callers without a token. */
export function randomHeaders({ keys, tags }: Known): fc.Arbitrary<Record<string, string>> {
  const all = {
    accept: oneOf(
      ...[
        '*/*',
        'text/html',
        'application/json',
        'application/problem+json',
        'text/html;q=0.1, */*;q=0.9',
        'image/png',
      ],
      ...['application/graphql-response+json', 'application/json;q=0', 'application/json;q=x', ';', ','],
    ),
    'accept-encoding': oneOf('gzip', 'br', 'br, gzip', 'identity;q=0', '*;q=0', 'gzip;q=9', 'deflate', ',;'),
    'idempotency-key': oneOf('"', '""', '"a"', 'a b', 'a'.repeat(255), 'a'.repeat(256), '"\\"', ...keys),
    'if-match': tagsAnd(tags),
    'if-none-match': tagsAnd(tags),
    'content-encoding': oneOf('gzip', 'identity'),
    'x-request-id': oneOf('1', 'a'.repeat(300)),
    'x-forwarded-for': oneOf('127.0.0.1', '::1', '1, 2', 'unknown'),
    origin: oneOf('null', 'https://elsewhere.example'),
    'access-control-request-method': oneOf('POST', 'X'),
    range: oneOf('bytes=0-1', 'x'),
    cookie: oneOf('token=x', 'a=b; c'),
  }
  const fields = Object.entries(all).map(([name, value]) => fc.record({ [name]: value }))
  return fc
    .array(fc.oneof(...fields), { maxLength: 4 })
    .map((some) => Object.fromEntries(some.flatMap((each) => Object.entries(each))))
}

/** The `Content-Type` of a body, mostly the right one. */
export const contentTypes: fc.Arbitrary<Record<string, string>> = fc
  .oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: oneOf(
        'application/json; charset=utf-16',
        'APPLICATION/JSON ;',
        'text/plain',
        '',
        'multipart/form-data',
      ),
    },
  )
  .map((type) => ({ 'content-type': type }))

/** An `Authorization` without a token of an account. */
export const brokenAuthorization: fc.Arbitrary<Record<string, string>> = fc
  .oneof(fc.constant(undefined), oneOf(...notTokens))
  .map((value): Record<string, string> => (value === undefined ? {} : { authorization: value }))

/** A text with up to three characters replaced by one of these fragments. */
function damaged(text: string, fragments: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(text.length), fc.nat(3), fc.constantFrom(...fragments))
    .map(([at, cut, bit]) => text.slice(0, at) + bit + text.slice(at + cut))
}

/** The text, occasionally damaged with one of these fragments. */
export function mostly(texts: fc.Arbitrary<string>, fragments: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: texts },
    { weight: 1, arbitrary: texts.chain((text) => damaged(text, fragments)) },
  )
}

const deep = (open: string, close: string) => open.repeat(2_000) + close.repeat(2_000)
const notUtf8 = [
  [0xff, 0xfe],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xef, 0xbb, 0xbf, 0x7b, 0x7d],
]

/** Bodies: mostly these texts, or damaged ones, or bytes that are not JSON or not UTF-8. */
export function randomBodies(texts: fc.Arbitrary<string>): fc.Arbitrary<string | Uint8Array> {
  const fragments = ['', '"', '{', ']', ',', '\\', '\\ud800', '\0', '1e999', 'null', '\ufeff']
  return fc.oneof(
    { weight: 12, arbitrary: mostly(texts, fragments) },
    { weight: 1, arbitrary: fc.json() },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', ' ', deep('[', ']'), deep('{"a":', '}'), '{"__proto__":{"a":1}}', '-', 'NaN'),
    },
    { weight: 1, arbitrary: fc.constantFrom(...notUtf8).map((bytes) => Uint8Array.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(texts, fc.constantFrom(...notUtf8))
        .map(([text, bytes]) =>
          Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from(bytes), Buffer.from(text.slice(-2))]),
        ),
    },
  )
}

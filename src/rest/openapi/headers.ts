import { basePath } from '../paths.ts'
import { type ApiVersion, apiVersions } from '../route.ts'
import { oneOfWords, ref, type Schema } from './json-schema.ts'

const header = (schema: Schema, description: string, example: unknown): Schema => ({
  description,
  required: true,
  schema,
  example,
})

const words = (pattern: string, maxLength: number): Schema => ({ type: 'string', pattern, maxLength })

/** Every header that an answer has because of what it is; those that HTTP itself needs aside. */
export const headers = {
  'Access-Control-Allow-Origin': header(
    { type: 'string', const: '*' },
    'Any origin may call, without credentials (Fetch Standard).',
    '*',
  ),
  'Access-Control-Expose-Headers': header(
    words('^[A-Za-z-]+(?:, [A-Za-z-]+)*$', 500),
    'The headers that a script of a browser can read (Fetch Standard).',
    'Link, API-Version, WWW-Authenticate, Allow, Retry-After, X-Request-Id',
  ),
  'Cache-Control': header({ type: 'string', const: 'no-store' }, 'Nothing is to be stored (RFC 9111).', 'no-store'),
  'X-Content-Type-Options': header(
    { type: 'string', const: 'nosniff' },
    'The type is what `Content-Type` says.',
    'nosniff',
  ),
  'X-Request-Id': header(
    { type: 'string', format: 'uuid', maxLength: 36 },
    'Names the request; the log of the server has it too.',
    '5f0c7c1e-8f0a-4b57-9a34-1c2d3e4f5a6b',
  ),
  'API-Version': header(
    oneOfWords(Object.values(apiVersions), 'The page of the interface.'),
    'The page of the interface that the answer follows.',
    apiVersions.posts,
  ),
  Link: header(
    words(
      `^<${basePath}/[^>]+>; rel="first"(?:, <${basePath}/[^>]+>; rel="prev")?(?:, <${basePath}/[^>]+>; rel="next")?$`,
      500,
    ),
    'The first page, the one before unless this is the first, and the one after when more follow (RFC 8288).',
    `<${basePath}/user/@wren/posts/1>; rel="first", <${basePath}/user/@wren/posts/2>; rel="next"`,
  ),
  'Retry-After': header(
    { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
    'After how many seconds to try again (RFC 9110, section 10.2.3).',
    1,
  ),
  TokenChallenge: header(
    words('^Bearer realm="rookery"(?:, error="invalid_token")?$', 100),
    'How to send a token, and whether the one that was sent is bad (RFC 6750, section 3).',
    'Bearer realm="rookery", error="invalid_token"',
  ),
  ScopeChallenge: header(
    words('^Bearer error="insufficient_scope", scope="[a-z.]+(?: [a-z.]+)*"$', 500),
    'What the token lacks, of all alternatives together (RFC 6750, section 3.1). Only where the code is `INSUFFICIENT_SCOPE`.',
    'Bearer error="insufficient_scope", scope="post.send reply.post"',
  ),
} as const satisfies Readonly<Record<string, Schema>>

/** A reference to a header. */
export const headerRef = (name: keyof typeof headers): Schema => ref('headers', name)

const everywhere = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'X-Content-Type-Options',
  'X-Request-Id',
  'API-Version',
] as const satisfies readonly (keyof typeof headers)[]

/** The headers of every answer. */
export const commonHeaders: Schema = Object.fromEntries(everywhere.map((name) => [name, headerRef(name)]))

/** The headers of every answer that is no refusal, with the one version that it follows. */
export function headersOf(version: ApiVersion): Schema {
  const exact = { ...headers['API-Version'], schema: { type: 'string', const: version }, example: version }
  return { ...commonHeaders, 'API-Version': exact }
}

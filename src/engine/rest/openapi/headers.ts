import { bodyTypes } from '../../http/allowed-methods.ts'
import { afterHeader, positionFormat, positionHeader } from '../../http/position.ts'
import { exposedHeaders } from '../../http/response.ts'
import { basePath } from '../../http/url.ts'
import { constant as constantSchema, int32, type Json, matching, ref } from './json.ts'

const header = (schema: Json, description: string, example: unknown) => ({
  description,
  required: true,
  schema,
  example,
})

const constant = (value: string, description: string) => header(constantSchema(value), description, value)

const text = (form: RegExp, max: number, description: string, example: string) =>
  header(matching(form, max), description, example)

const optional = (it: ReturnType<typeof header>) => ({ ...it, required: false })

const path = `<${basePath}/[^>]+>`

const versionHeader = 'API-Version'
const describedVersion = 'The version of the interface that the response follows.'

/** The component of the header that names the version of a response, which is one of these. */
export const versionComponent = (versions: readonly string[], example: string) => ({
  [versionHeader]: header(
    { type: 'string', enum: [...new Set(versions)], description: 'A version of the interface.' },
    describedVersion,
    example,
  ),
})

/** The headers of every response, without those of HTTP itself and the version. */
const common = {
  'Access-Control-Allow-Origin': constant('*', 'Any origin may send requests, without credentials (Fetch Standard).'),
  'Access-Control-Expose-Headers': text(
    /^[A-Za-z-]+(?:, [A-Za-z-]+)*$/,
    500,
    'The headers that browser scripts can read (Fetch Standard).',
    exposedHeaders,
  ),
  'Cache-Control': constant('no-store', 'Responses must not be stored (RFC 9111).'),
  'X-Content-Type-Options': constant('nosniff', 'Clients must not guess a type other than `Content-Type`.'),
  'X-Request-Id': header(
    { type: 'string', maxLength: 36, format: 'uuid' },
    'The id of the request, also found in the log of the server.',
    '5f0c7c1e-8f0a-4b57-9a34-1c2d3e4f5a6b',
  ),
  'Idempotency-Replayed': optional(
    constant('true', 'The response repeats that to the first request with this `Idempotency-Key`.'),
  ),
  [positionHeader]: optional(
    text(
      positionFormat,
      16,
      `The position of the write, for \`${afterHeader}\`. Missing if it was not tried, and where there are no replicas.`,
      '00000016b374d848',
    ),
  ),
  RateLimit: optional(
    text(
      /^"default";r=[0-9]+;t=[0-9]+$/,
      100,
      'The points that are left (`r`), and in how many seconds the budget is full again (`t`) ' +
        '(draft-ietf-httpapi-ratelimit-headers). Missing if rate limits are off.',
      '"default";r=999480;t=4',
    ),
  ),
  'RateLimit-Policy': optional(
    text(
      /^"default";q=[0-9]+;w=[0-9]+$/,
      100,
      'The points of a full budget (`q`), and how many seconds they are for (`w`) ' +
        '(draft-ietf-httpapi-ratelimit-headers). Missing if rate limits are off.',
      '"default";q=1000000;w=10',
    ),
  ),
  'Rookery-Cost': optional(
    header(
      int32(0),
      'The points that the request took: what the operation cost, or the price of a refused request. Of an ' +
        'export, those of its first page.',
      112,
    ),
  ),
}

const etag = text(
  /^"[\w.-]+"$/,
  100,
  'The entity tag of the response, for `If-None-Match`; that of a compressed response ends in `.br` or ' +
    '`.gzip`. That of a post, a reply or `/user` also serves for `If-Match`.',
  '"019ab2c4-9f30-7e5c-8b22-7d3e4f506172.mh3k2x1a-Zk3vQ0aV9sE2mB1x"',
)

/** The headers of responses, without those of HTTP itself. */
export const headers = {
  ...common,
  CacheControlOfTagged: constant(
    'private, no-cache',
    'Only the cache of this client may store the response, and must revalidate it before each use (RFC 9111).',
  ),
  CacheControlOfPublic: text(
    /^public, max-age=[0-9]+$/,
    30,
    'Any cache may store the response, and use it for so many seconds (RFC 9111).',
    'public, max-age=60',
  ),
  VaryOfPublic: constant('accept-encoding', 'The response depends on the encoding (RFC 9110, section 12.5.5).'),
  Vary: constant(
    'Authorization, accept-encoding',
    'The response depends on the token and the encoding (RFC 9110, section 12.5.5).',
  ),
  ETag: etag,
  CurrentETag: {
    ...optional(etag),
    description:
      'The entity tag that the resource has now, for the next `If-Match`. Missing if it was deleted or has new replies, or has none.',
  },
  Link: text(
    new RegExp(`^${path}; rel="first"(?:, ${path}; rel="prev")?(?:, ${path}; rel="next")?$`),
    500,
    'The first page, the previous page unless this is the first, and the next page when there is one ' +
      '(RFC 8288). A page ends early where the viewer may not see most of its rows: with fewer elements, ' +
      'or none, and a next page.',
    `<${basePath}/user/@henk/posts/1>; rel="first", <${basePath}/user/@henk/posts/2>; rel="next"`,
  ),
  LinkToMore: optional(
    text(
      new RegExp(`^${path}; rel="next"$`),
      500,
      'The next page (RFC 8288). Missing on the last page.',
      `<${basePath}/notifications?after=AZqyxMJje4-OVaBhcoOUBQ>; rel="next"`,
    ),
  ),
  NextLink: text(
    new RegExp(`^${path}; rel="next"$`),
    500,
    'The next page (RFC 8288).',
    `<${basePath}/changes?after=AAAAAAdQAAAAAAAqZ4kEOQ>; rel="next"`,
  ),
  'Preference-Applied': optional(
    text(/^wait=[0-9]{1,2}$/, 7, 'For how many seconds the request could wait (RFC 7240, section 3).', 'wait=25'),
  ),
  'Accept-Patch': optional(
    constant(bodyTypes('PATCH').join(', '), 'The media types that PATCH takes (RFC 5789). Missing for other methods.'),
  ),
  'Accept-Post': optional(
    constant(
      bodyTypes('POST').join(', '),
      'The media types that POST takes (Linked Data Platform, section 7.1). Missing for other methods.',
    ),
  ),
  'Accept-Encoding': optional(
    constant('identity', 'Bodies must not be compressed (RFC 9110, section 12.5.3). Missing for other reasons.'),
  ),
  'Retry-After': header(
    int32(0, 86_400),
    'The number of seconds to wait before a retry (RFC 9110, section 10.2.3).',
    1,
  ),
  TokenChallenge: text(
    /^Bearer realm="rookery"(?:, error="invalid_token")?(?:, resource_metadata="[^"]+")?$/,
    2_500,
    'The authentication scheme, whether the token is invalid (RFC 6750, section 3), and where the ' +
      'metadata of the API names the authorization server (RFC 9728, section 5.1).',
    'Bearer realm="rookery", error="invalid_token", resource_metadata="https://social.example/.well-known/oauth-protected-resource"',
  ),
  ScopeChallenge: optional(
    text(
      /^Bearer error="insufficient_scope", scope="[a-z.]+(?: [a-z.]+)*"$/,
      500,
      'What the token lacks of one set of scopes that suffices (RFC 6750, section 3.1): of several, the one of ' +
        'which it lacks least. Only with the code `INSUFFICIENT_SCOPE`, and not where the account can have none of the sets.',
      'Bearer error="insufficient_scope", scope="post.send"',
    ),
  ),
}

/** A reference to a header. */
export const headerRef = (name: keyof typeof headers): Json => ref('headers', name)

/** References to the headers of every response. */
export const commonHeaders: Json = Object.fromEntries(
  [...Object.keys(common), versionHeader].map((name) => [name, ref('headers', name)]),
)

/** The headers of successful responses that follow one version. */
export function headersOf(version: string): Json {
  return { ...commonHeaders, [versionHeader]: constant(version, describedVersion) }
}

/** The headers of conditional responses to GET, which may be the same for everybody. */
export const validatorsOf = (isForEverybody: boolean): Json => ({
  'Cache-Control': headerRef(isForEverybody ? 'CacheControlOfPublic' : 'CacheControlOfTagged'),
  ETag: headerRef('ETag'),
  Vary: headerRef(isForEverybody ? 'VaryOfPublic' : 'Vary'),
})

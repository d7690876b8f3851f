import { z } from 'zod'
import { Documents } from '../../execution/documents.ts'
import { bodyTypes } from '../../http/body-types.ts'
import { basePath } from '../../http/url.ts'
import { schema } from '../../schema/schema.ts'
import { type ScopeSets, scopeSentences, scopes } from '../../scopes.ts'
import type { Documented } from '../operation.ts'
import { documented, operations } from '../operations.ts'
import { prepareDocuments } from '../prepared-documents.ts'
import { components } from '../schemas/types.ts'
import { apiVersions, groups } from '../versions.ts'
import { headerRef, headers, headersOf, validators } from './headers.ts'
import { componentSchemas, type Json, print } from './json.ts'
import { parameterComponents, parametersOf } from './parameters.ts'
import { problemResponses, responseComponents } from './problems.ts'

const info: Json = {
  title: 'Rookery',
  version: apiVersions.posts,
  summary: 'The REST interface of a social network that is used only through its API.',
  description: [
    'Users publish short posts, reply, like and follow. Every request acts on behalf of the owner of a bearer token, the viewer. Posts and replies together are publications.',
    'Errors are problem documents (RFC 9457). Their `code` is from a closed list.',
    'Every GET operation also supports HEAD, and every path supports OPTIONS without a token. Other methods are refused with 405 and the code `METHOD_NOT_ALLOWED`; `Allow` lists the supported ones, and for OPTIONS `Accept-Patch` and `Accept-Post` the media types of bodies. A merge patch (RFC 7396) sets nothing to null: null counts as absent. A trailing slash, unknown query parameters and unknown body fields are ignored.',
    'A list also works without a page in its path: then `page` in the query has the number, or `after` the cursor of a `next` link.',
    'Errors are checked in this order: 400 for the query string, 401, 404 for the path, 405, 415, 413 or 400, 403 for the scope, 422, 404 for the resource, 403 for the author, 403 for a locked parent, 412, 409.',
    `The post and user endpoints follow version ${apiVersions.posts} of the interface, and the reply endpoints version ${apiVersions.replies}, as \`API-Version\` says. \`/graphql\` serves the same network, with more features.`,
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: readonly Json[] = Object.entries(groups).map(([name, { description }]) => ({ name, description }))

const token: Json = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rookery_ and 43 characters of base64url',
  description: `An access token (RFC 6750) from \`signUp\`, \`signIn\` or \`createAccessToken\` in GraphQL, or from \`rookery token\`. The roles of a security requirement are scopes. A token has to satisfy one of the requirements. All scopes: ${scopes.join(', ')}.`,
}

const endpoints = { tokenUrl: '/oauth/token', refreshUrl: '/oauth/token', scopes: scopeSentences }

const oauth: Json = {
  type: 'oauth2',
  description:
    'Tokens for applications (OAuth 2.1): the authorization code flow with PKCE and refresh tokens. `/.well-known/oauth-authorization-server` has all endpoints, also that of the device flow (RFC 8628).',
  flows: { authorizationCode: { authorizationUrl: '/oauth/authorize', ...endpoints } },
}

/** One requirement for each alternative and kind of token, with its scopes: as roles (OpenAPI 3.1, section 4.8.30), or as those of OAuth. */
function securityOf(requiredScopes: ScopeSets, { optionalScopes }: Documented): Json[] {
  const wider = optionalScopes ? requiredScopes.map((set) => [...set, ...optionalScopes]) : []
  return [...wider, ...requiredScopes].flatMap((set) => [{ token: set }, { oauth: set }])
}

/** The headers with the links from a page of a list. */
const links = { number: 'Link', cursor: 'LinkToMore', feed: 'NextLink' } as const

function responsesOf({ method, tag, list, tagged, response }: Documented): Json {
  const { schema, description = schema.description, type = 'application/json' } = response
  const isConditional = tagged && method === 'GET'
  const named = (schema instanceof z.ZodUnion && !components.has(schema) ? schema.options : [schema]).map((it) =>
    components.get(it),
  )
  const examples = named.map((it) => [it?.id, { summary: it?.id, value: it?.example }])
  const ok = {
    description,
    headers: {
      ...headersOf(groups[tag].version),
      ...(list && { Link: headerRef(links[list.by]) }),
      ...(list?.by === 'feed' && { 'Preference-Applied': headerRef('Preference-Applied') }),
      ...(tagged && { ETag: headerRef(tagged.isOptional ? 'CurrentETag' : 'ETag') }),
      ...(isConditional && validators),
    },
    content: { [type]: { schema, examples: Object.fromEntries(examples) } },
  }
  const notModified = {
    description: 'The response has one of the entity tags in `If-None-Match`.',
    headers: { ...headersOf(groups[tag].version), ...validators },
  }
  return { '200': ok, ...(isConditional && { '304': notModified }) }
}

function bodyOf({ method, body }: Documented): Json {
  return {
    description: 'UTF-8, at most 64 KiB.',
    required: true,
    content: Object.fromEntries(bodyTypes(method).map((type) => [type, { schema: body }])),
  }
}

function operationOf(operation: Documented, requiredScopes: ScopeSets): Json {
  const { id, tag, summary, description } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: securityOf(requiredScopes, operation),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: bodyOf(operation) }),
    responses: { ...responsesOf(operation), ...problemResponses(operation) },
  }
}

/** The schemas of all components, those of bodies with their examples. */
function schemasOf(): Json {
  const bodies = new Map(operations.map(({ body }) => body && components.get(body)).map((it) => [it?.id, it]))
  return Object.fromEntries(
    componentSchemas().map(([id, schema]) => [id, { ...schema, example: bodies.get(id)?.example }]),
  )
}

/** The OpenAPI 3.1 document of the REST interface as text, as `openapi.json` has it. */
export function printedOpenApi(): string {
  const documents = new Documents(schema, { introspection: true })
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of documented) {
    const required = 'document' in operation ? prepareDocuments(operation, documents).requiredScopes : operation.scopes
    const methods = paths[operation.path] ?? {}
    paths[operation.path] = methods
    methods[operation.method.toLowerCase()] = operationOf(operation, required)
  }
  const document = {
    openapi: '3.1.1',
    info,
    servers: [{ url: basePath, description: 'The server of this document.' }],
    tags,
    paths,
    components: {
      securitySchemes: { token, oauth },
      parameters: parameterComponents,
      headers,
      schemas: schemasOf(),
      responses: responseComponents,
    },
  }
  return `${print(document)}\n`
}

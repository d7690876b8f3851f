import type { GraphQLSchema } from 'graphql'
import { Documents } from '../../execution/documents.ts'
import { bodyTypes } from '../../http/allowed-methods.ts'
import { basePath } from '../../http/url.ts'
import type { ScopeSets } from '../../scopes.ts'
import type { Documented, RestInterface } from '../operation.ts'
import { prepareDocuments } from '../prepared-documents.ts'
import { bodyFields, type DeclaredVariables, variablesOf } from '../variables.ts'
import { bodySchema } from './bodies.ts'
import { headerRef, headers, headersOf, validatorsOf, versionComponent } from './headers.ts'
import type { Json } from './json.ts'
import { parametersOf, sharedParameters } from './parameters.ts'
import { problemComponents, problemResponses } from './problems.ts'
import { resolver } from './resolve.ts'

const tokenOf = (scopes: RestInterface['scopes']): Json => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rookery_ and 43 characters of base64url',
  description:
    'An access token (RFC 6750) from `POST /user`, `POST /session` or `POST /token`, or from ' +
    '`rookery token`. The roles of a security requirement are scopes. A token has to satisfy one of ' +
    `the requirements. All scopes: ${Object.keys(scopes).join(', ')}.`,
})

const oauthOf = (scopes: RestInterface['scopes']): Json => ({
  type: 'oauth2',
  description:
    'Tokens for applications (OAuth 2.1): the authorization code flow with PKCE and refresh tokens. ' +
    '`/.well-known/oauth-authorization-server` has all endpoints, also that of the device flow (RFC ' +
    '8628).',
  flows: {
    authorizationCode: {
      authorizationUrl: '/oauth/authorize',
      tokenUrl: '/oauth/token',
      refreshUrl: '/oauth/token',
      scopes: Object.fromEntries(Object.entries(scopes).map(([scope, { sentence }]) => [scope, sentence])),
    },
  },
})

/**
 * One requirement for each alternative and kind of token, with its scopes: as roles (OpenAPI 3.1, section 4.8.30), or as those of
 * OAuth.
 */
function securityOf(requiredScopes: ScopeSets, { optionalScopes, needsToken = true }: Documented): Json[] {
  if (!needsToken) return []
  const wider = optionalScopes ? requiredScopes.map((set) => [...set, ...optionalScopes]) : []
  return [...wider, ...requiredScopes].flatMap((set) => [{ token: set }, { oauth: set }])
}

/** The headers with the links from a page of a list. */
const links = { number: 'Link', cursor: 'LinkToMore', feed: 'NextLink' } as const

function responsesOf({
  method,
  group,
  list,
  tagged,
  cachedFor,
  view,
  result = view.description,
  type = 'application/json',
}: Documented): Json {
  const isConditional = tagged && method === 'GET'
  const validators = validatorsOf(cachedFor !== undefined)
  const examples = Object.entries(view.examples).map(([summary, value]) => [summary, { summary, value }])
  const ok = {
    description: result,
    headers: {
      ...headersOf(group.version),
      ...(list && { Link: headerRef(links[list.by]) }),
      ...(list?.by === 'feed' && { 'Preference-Applied': headerRef('Preference-Applied') }),
      ...(tagged && { ETag: headerRef(tagged.isOptional ? 'CurrentETag' : 'ETag') }),
      ...(isConditional && validators),
    },
    content: { [type]: { schema: view.schema, examples: Object.fromEntries(examples) } },
  }
  const notModified = {
    description: 'The response has one of the entity tags in `If-None-Match`.',
    headers: { ...headersOf(group.version), ...validators },
  }
  return { '200': ok, ...(isConditional && { '304': notModified }) }
}

function bodyOf(operation: Documented, declared: DeclaredVariables): Json {
  const schema = bodySchema(operation, bodyFields(operation.path, declared))
  return {
    description: 'UTF-8, at most 64 KiB.',
    required: !operation.body?.isOptional,
    content: Object.fromEntries(bodyTypes(operation.method).map((type) => [type, { schema }])),
  }
}

function operationOf(
  rest: RestInterface,
  operation: Documented,
  requiredScopes: ScopeSets,
  declared: DeclaredVariables = new Map(),
): Json {
  const { id, group, summary, description } = operation
  const parameters = parametersOf(rest, operation, declared)
  return {
    operationId: id,
    summary,
    description,
    tags: [group.tag],
    security: securityOf(requiredScopes, operation),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: bodyOf(operation, declared) }),
    responses: { ...responsesOf(operation), ...problemResponses(operation) },
  }
}

/** The OpenAPI 3.1 document of a REST interface as text. */
export function printedOpenApi(rest: RestInterface, schema: GraphQLSchema): string {
  const documents = new Documents(schema, { introspection: true })
  const prepared = rest.operations.map((it) => {
    const { operation, ...facts } = prepareDocuments(rest, it, documents)
    return { ...it, ...facts, declared: variablesOf(operation) }
  })
  const documented: readonly Documented[] = [...prepared, ...rest.streams.map(({ definition }) => definition)]
  const { resolve, components } = resolver(schema)
  const responses = resolve(problemComponents(documented, Object.keys(rest.scopes)))
  const paths: Record<string, Record<string, Json>> = {}
  const add = (operation: Documented, requiredScopes: ScopeSets, declared?: DeclaredVariables) => {
    const methods = paths[operation.path] ?? {}
    paths[operation.path] = methods
    methods[operation.method.toLowerCase()] = operationOf(rest, operation, requiredScopes, declared)
  }
  for (const it of prepared) add(it, it.requiredScopes, it.declared)
  for (const { definition } of rest.streams) add(definition, definition.scopes ?? [])
  const { title, version, summary, description } = rest
  const groups = new Set(documented.map(({ group }) => group))
  const document = {
    openapi: '3.1.1',
    info: { title, version, summary, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: basePath, description: 'The server of this document.' }],
    tags: [...groups].map(({ tag, description }) => ({ name: tag, description })),
    paths: resolve(paths),
    components: {
      securitySchemes: { token: tokenOf(rest.scopes), oauth: oauthOf(rest.scopes) },
      parameters: sharedParameters(rest),
      headers: {
        ...headers,
        ...versionComponent(
          [...groups].map(({ version }) => version),
          version,
        ),
      },
      schemas: components(),
      responses,
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

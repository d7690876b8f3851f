import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { Documents } from '../../execution/documents.ts'
import { bodyTypes } from '../../http/body-types.ts'
import { basePath } from '../../http/url.ts'
import type { ScopeSets } from '../../scopes.ts'
import { documentedOf, type RestInterface } from '../interface.ts'
import type { Documented } from '../operation.ts'
import { prepareDocuments } from '../prepared-documents.ts'
import { components } from '../types.ts'
import { headerRef, headers, headersOf, validators, versionComponent } from './headers.ts'
import { componentSchemas, type Json, print } from './json.ts'
import { parametersOf, sharedParameters } from './parameters.ts'
import { problemComponents, problemResponses } from './problems.ts'

const tokenOf = (scopes: RestInterface['scopes']): Json => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rookery_ and 43 characters of base64url',
  description: `An access token (RFC 6750) from \`signUp\`, \`signIn\` or \`createAccessToken\` in GraphQL, or from \`rookery token\`. The roles of a security requirement are scopes. A token has to satisfy one of the requirements. All scopes: ${Object.keys(scopes).join(', ')}.`,
})

const oauthOf = (scopes: RestInterface['scopes']): Json => ({
  type: 'oauth2',
  description:
    'Tokens for applications (OAuth 2.1): the authorization code flow with PKCE and refresh tokens. `/.well-known/oauth-authorization-server` has all endpoints, also that of the device flow (RFC 8628).',
  flows: {
    authorizationCode: {
      authorizationUrl: '/oauth/authorize',
      tokenUrl: '/oauth/token',
      refreshUrl: '/oauth/token',
      scopes,
    },
  },
})

/** One requirement for each alternative and kind of token, with its scopes: as roles (OpenAPI 3.1, section 4.8.30), or as those of OAuth. */
function securityOf(requiredScopes: ScopeSets, { optionalScopes }: Documented): Json[] {
  const wider = optionalScopes ? requiredScopes.map((set) => [...set, ...optionalScopes]) : []
  return [...wider, ...requiredScopes].flatMap((set) => [{ token: set }, { oauth: set }])
}

/** The headers with the links from a page of a list. */
const links = { number: 'Link', cursor: 'LinkToMore', feed: 'NextLink' } as const

function responsesOf({ method, group, list, tagged, response }: Documented): Json {
  const { schema, description = schema.description, type = 'application/json' } = response
  const isConditional = tagged && method === 'GET'
  const named = (schema instanceof z.ZodUnion && !components.has(schema) ? schema.options : [schema]).map((it) =>
    components.get(it),
  )
  const examples = named.map((it) => [it?.id, { summary: it?.id, value: it?.example }])
  const ok = {
    description,
    headers: {
      ...headersOf(group.version),
      ...(list && { Link: headerRef(links[list.by]) }),
      ...(list?.by === 'feed' && { 'Preference-Applied': headerRef('Preference-Applied') }),
      ...(tagged && { ETag: headerRef(tagged.isOptional ? 'CurrentETag' : 'ETag') }),
      ...(isConditional && validators),
    },
    content: { [type]: { schema, examples: Object.fromEntries(examples) } },
  }
  const notModified = {
    description: 'The response has one of the entity tags in `If-None-Match`.',
    headers: { ...headersOf(group.version), ...validators },
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

function operationOf(rest: RestInterface, operation: Documented, requiredScopes: ScopeSets): Json {
  const { id, group, summary, description } = operation
  const parameters = parametersOf(rest, operation)
  return {
    operationId: id,
    summary,
    description,
    tags: [group.tag],
    security: securityOf(requiredScopes, operation),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: bodyOf(operation) }),
    responses: { ...responsesOf(operation), ...problemResponses(operation) },
  }
}

/** The schemas of all components, those of bodies with their examples, and the scopes of the interface. */
function schemasOf({ operations, scopes }: RestInterface): Json {
  const bodies = new Map(operations.map(({ body }) => body && components.get(body)).map((it) => [it?.id, it]))
  const schemas = Object.fromEntries(
    componentSchemas().map(([id, schema]) => [id, { ...schema, example: bodies.get(id)?.example }]),
  )
  return { ...schemas, Scope: { ...schemas.Scope, enum: Object.keys(scopes) } }
}

/** The OpenAPI 3.1 document of a REST interface as text. */
export function printedOpenApi(rest: RestInterface, schema: GraphQLSchema): string {
  const documented = documentedOf(rest)
  const responses = problemComponents(documented)
  const documents = new Documents(schema, { introspection: true })
  const paths: Record<string, Record<string, Json>> = {}
  const add = (operation: Documented, requiredScopes: ScopeSets) => {
    const methods = paths[operation.path] ?? {}
    paths[operation.path] = methods
    methods[operation.method.toLowerCase()] = operationOf(rest, operation, requiredScopes)
  }
  for (const operation of rest.operations) add(operation, prepareDocuments(rest, operation, documents).requiredScopes)
  for (const { definition } of rest.streams) add(definition, definition.scopes ?? [])
  const { title, version, summary, description } = rest
  const groups = new Set(documented.map(({ group }) => group))
  const document = {
    openapi: '3.1.1',
    info: { title, version, summary, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: basePath, description: 'The server of this document.' }],
    tags: [...groups].map(({ tag, description }) => ({ name: tag, description })),
    paths,
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
      schemas: schemasOf(rest),
      responses,
    },
  }
  return `${print(document, schema)}\n`
}

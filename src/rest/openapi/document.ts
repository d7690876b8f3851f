import type { Documents } from '../../operations/documents.ts'
import { type ScopeSets, scopes } from '../../scopes.ts'
import type { Operation } from '../operation.ts'
import { operations } from '../operations.ts'
import { basePath } from '../paths.ts'
import { prepareDocuments } from '../prepared-documents.ts'
import { type Component, refTo, sharedComponents } from '../schemas/components.ts'
import { ref, type Schema } from '../schemas/json-schema.ts'
import { apiVersions } from '../versions.ts'
import { deprecationsOf, fieldOf, markedAs, withMarkedProperties } from './deprecations.ts'
import { headerRef, headers, headersOf, validators } from './headers.ts'
import { parameterComponents, parametersOf } from './parameters.ts'
import { problemComponents, refusalResponses } from './problems.ts'
import { bodySchema } from './request-body.ts'

const info: Schema = {
  title: 'Rookery',
  version: apiVersions.posts,
  summary: 'The REST interface of a social network that is used only through its API.',
  description: [
    'Users publish short posts, reply, like and follow. Every request acts on behalf of the owner of a bearer token.',
    'Errors are problem documents (RFC 9457). Their `code` is from a closed list.',
    'Every GET operation also supports HEAD, and every path supports OPTIONS without a token. Other methods are refused with 405 and the code `METHOD_NOT_ALLOWED`; `Allow` lists the supported ones. A trailing slash, unknown query parameters and unknown body fields are ignored.',
    'Errors are checked in this order: 401, 404 for the path, 405, 415, 413 or 400, 403 for the scope, 422, 404 for the resource, 403 for the author, 403 for a locked parent, 412, 409.',
    `The post and user endpoints follow version ${apiVersions.posts} of the interface, and the reply endpoints version ${apiVersions.replies}, as \`API-Version\` says. \`/graphql\` serves the same network, with more features.`,
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: readonly Schema[] = [
  { name: 'Posts', description: 'Posts, and replies as post objects.' },
  { name: 'Users', description: 'Profiles, posts of users, and follows.' },
  { name: 'Replies', description: 'Replies in the format of the older version of the interface.' },
]

const token: Schema = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rookery_ and 43 characters of base64url',
  description: `An access token (RFC 6750) from \`signUp\`, \`signIn\` or \`createAccessToken\` in GraphQL, or from \`rookery token\`. The roles of a security requirement are scopes. A token has to satisfy one of the requirements. All scopes: ${scopes.join(', ')}.`,
}

/** One requirement for each alternative, with its scopes as roles (OpenAPI 3.1, section 4.8.30). */
function securityOf(requiredScopes: ScopeSets, { optionalScopes }: Operation): Schema[] {
  const wider = optionalScopes ? requiredScopes.map((set) => [...set, ...optionalScopes]) : []
  return [...wider, ...requiredScopes].map((set) => ({ token: set }))
}

const bodyName = ({ id }: Operation) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`

function responseOf({ method, version, pages, tagged, response: { description, components } }: Operation): Schema {
  const references = components.map(refTo)
  const [schema] = references.length > 1 ? [{ anyOf: references }] : references
  const examples = Object.fromEntries(components.map(({ name, example }) => [name, { summary: name, value: example }]))
  return {
    description,
    headers: {
      ...headersOf(version),
      ...(pages && { Link: headerRef('Link') }),
      ...(tagged && (method === 'GET' ? validators : { ETag: headerRef('ETag') })),
    },
    content: { 'application/json': { schema, examples } },
  }
}

function notModified({ version }: Operation): Schema {
  return {
    description: 'The response has one of the entity tags in `If-None-Match`.',
    headers: { ...headersOf(version), ...validators },
  }
}

/** The components of all responses, by name. */
export const responseComponents: ReadonlyMap<string, Component> = new Map(
  [...sharedComponents, ...operations.flatMap(({ response }) => response.components)].map((it) => [it.name, it]),
)

/** The OpenAPI 3.1 document of the REST interface. Throws for a path parameter or a body field that it cannot describe. */
export function openApiDocument(documents: Documents): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  const bodies: Record<string, Schema> = {}
  for (const operation of operations) {
    const { id, method, path, tag, summary, description, document } = operation
    const { operation: program, requiredScopes } = prepareDocuments(operation, documents)
    const deprecated = deprecationsOf(documents.schema, document)
    if (operation.body) {
      const body = bodySchema(operation, operation.body, program)
      bodies[bodyName(operation)] = withMarkedProperties(body, (field) => deprecated.variables.get(field))
    }
    const requestBody = {
      description: 'UTF-8, at most 64 KiB.',
      required: true,
      content: { 'application/json': { schema: ref('schemas', bodyName(operation)) } },
    }
    const parameters = parametersOf(operation)
    const methods = paths[path] ?? {}
    paths[path] = methods
    methods[method.toLowerCase()] = markedAs(deprecated.operation, {
      operationId: id,
      summary,
      description,
      tags: [tag],
      security: securityOf(requiredScopes, operation),
      ...(parameters.length > 0 && { parameters }),
      ...(operation.body && { requestBody }),
      responses: {
        '200': responseOf(operation),
        ...(operation.tagged && method === 'GET' && { '304': notModified(operation) }),
        ...refusalResponses(operation),
      },
    })
  }
  const responseSchemas = [...responseComponents.values()].map((component) => [
    component.name,
    withMarkedProperties(
      component.schema,
      (property) => fieldOf(documents.schema, component, property)?.deprecationReason,
    ),
  ])
  const { schemas, responses } = problemComponents(operations)
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: basePath, description: 'The server of this document.' }],
    tags,
    paths,
    components: {
      securitySchemes: { token },
      parameters: parameterComponents,
      headers,
      schemas: { ...Object.fromEntries(responseSchemas), ...bodies, ...schemas },
      responses,
    },
  }
}

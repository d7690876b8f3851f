import type { Executor } from '../../execution/executor.ts'
import { type ScopeSets, scopes } from '../../scopes.ts'
import { basePath } from '../paths.ts'
import { preparePrograms } from '../programs.ts'
import { apiVersions, type Route } from '../route.ts'
import { routes } from '../routes.ts'
import { deprecationsOf, fieldOf, markedAs, withMarkedProperties } from './deprecations.ts'
import { answerExamples } from './examples.ts'
import { headerRef, headers, headersOf } from './headers.ts'
import { bodySchema, parameterComponents, parametersOf } from './inputs.ts'
import { ref, type Schema } from './json-schema.ts'
import { operationNotes } from './operations.ts'
import { problemComponents, refusalResponses } from './problems.ts'
import { resourceRef, resourceSchemas } from './resources.ts'

const info: Schema = {
  title: 'Rookery',
  version: apiVersions.posts,
  summary: 'The REST interface of a social network that is used only through its API.',
  description: [
    'People publish short posts, reply, like and follow. Every call is made for the owner of a bearer token.',
    'What is refused is answered with a problem document (RFC 9457), whose `code` is of a closed list.',
    'Wherever there is GET there is HEAD, and every path answers OPTIONS without a token. Methods that a path does not have are refused with 405 and the code `METHOD_NOT_ALLOWED`; `Allow` names those that it has. A slash at the end of a path, unknown parameters in the query and unknown fields in a body are ignored.',
    'Requests are refused in this order: 401, 404 of the path, 405, 415, 413 or 400, 403 of the scope, 422, 404 of what is named, 403 of the author, 403 of the lock, 409.',
    `The post and user endpoints follow the page ${apiVersions.posts} of the interface, the reply endpoints ${apiVersions.replies}; \`API-Version\` tells which. The same network is at \`/graphql\`, with more to ask for.`,
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: readonly Schema[] = [
  { name: 'Posts', description: 'Posts, and replies in the same form.' },
  { name: 'Users', description: 'Profiles, posts of users, and follows.' },
  { name: 'Replies', description: 'Replies in the form of the older page of the interface.' },
]

const token: Schema = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rookery_ and 43 characters of base64url',
  description: `A token from signing up or in, from \`createAccessToken\` of GraphQL or from \`rookery token\`, sent as RFC 6750 has it. The roles of a security requirement are scopes; of several requirements one is enough. All scopes: ${scopes.join(', ')}.`,
}

/** One requirement for each alternative, with its scopes as roles (OpenAPI 3.1, section 4.8.30). */
function securityOf(requiredScopes: ScopeSets, { moreScopes }: { readonly moreScopes?: readonly string[] }): Schema[] {
  const wider = moreScopes ? requiredScopes.map((set) => [...set, ...moreScopes]) : []
  return [...wider, ...requiredScopes].map((set) => ({ token: set }))
}

const bodyName = ({ id }: Route) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`

function answerOf({ id, version, pages }: Route): Schema {
  const { answers, answer: description } = operationNotes[id]
  const references = answers.map(resourceRef)
  const [schema] = references.length > 1 ? [{ anyOf: references }] : references
  const examples = Object.fromEntries(answers.map((name) => [name, { summary: name, value: answerExamples[name] }]))
  return {
    description,
    headers: { ...headersOf(version), ...(pages && { Link: headerRef('Link') }) },
    content: { 'application/json': { schema, examples } },
  }
}

/** The OpenAPI 3.1 document of the REST interface, made from the route table. Throws when a parameter or a field of a body is not described. */
export function openApiDocument(executor: Executor): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  const bodies: Record<string, Schema> = {}
  for (const route of routes) {
    const { tag, summary, description, ...notes } = operationNotes[route.id]
    const { operation, requiredScopes } = preparePrograms(route, executor)
    const deprecated = deprecationsOf(executor.schema, route.document)
    if (route.body) {
      const body = bodySchema(route, operation)
      bodies[bodyName(route)] = withMarkedProperties(body, (field) => deprecated.variables.get(field))
    }
    const requestBody = {
      description: 'In UTF-8, of at most 256 KiB.',
      required: true,
      content: { 'application/json': { schema: ref('schemas', bodyName(route)) } },
    }
    const parameters = parametersOf(route)
    const methods = paths[route.path] ?? {}
    paths[route.path] = methods
    methods[route.method.toLowerCase()] = markedAs(deprecated.operation, {
      operationId: route.id,
      summary,
      description,
      tags: [tag],
      security: securityOf(requiredScopes, notes),
      ...(parameters.length > 0 && { parameters }),
      ...(route.body && { requestBody }),
      responses: { '200': answerOf(route), ...refusalResponses(route) },
    })
  }
  const resources = Object.entries(resourceSchemas).map(([name, resource]) => [
    name,
    withMarkedProperties(resource, (property) => fieldOf(executor.schema, name, property)?.deprecationReason),
  ])
  const { schemas, responses } = problemComponents(routes)
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: basePath, description: 'The server that this document came from.' }],
    tags,
    paths,
    components: {
      securitySchemes: { token },
      parameters: parameterComponents,
      headers,
      schemas: { ...Object.fromEntries(resources), ...bodies, ...schemas },
      responses,
    },
  }
}

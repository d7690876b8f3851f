import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { reading, requireUnrestricted, type Viewer } from '../auth/viewers.ts'
import { prices } from '../compiler/cost.ts'
import { Refusal } from '../errors.ts'
import { requireViewer } from '../execution/request-context.ts'
import type { TrustedDocuments } from '../graphql/find-operation.ts'
import { answerOtherMethods } from '../http/allowed-methods.ts'
import type { ApiServices } from '../http/api-services.ts'
import { acceptJson } from '../http/json-body.ts'
import { addBudget } from '../http/request-budget.ts'
import { sendResponse } from '../http/response.ts'
import { mcpPath } from '../http/url.ts'
import { addViewer } from '../http/viewer.ts'
import { packageFolder, version } from '../package.ts'
import { callTool, type JsonSchema, type Lacking, Operations, operationTools } from './operation-tools.ts'
import { searchTool } from './schema-search.ts'
import { TrustedTools } from './trusted-tools.ts'

/** A text that agents can read. */
type Resource = {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
  readonly text: string
}

const schema = {
  file: 'schema.graphql',
  description: 'The whole GraphQL schema, 80 KB. search_schema finds its parts.',
  mimeType: 'application/graphql',
}

const rules = {
  file: 'docs/api.md',
  description: 'The rules of the server: tokens, lists, errors and their codes, retries, limits, prices and budgets.',
  mimeType: 'text/markdown',
}

/** Reads the schema, unless it is hidden, and the rules of the server from the package. */
function readResources({ introspection }: { readonly introspection: boolean }): Promise<readonly Resource[]> {
  return Promise.all(
    (introspection ? [schema, rules] : [rules]).map(async ({ file, ...facts }) => ({
      ...facts,
      uri: `rookery:${file}`,
      name: file,
      text: await readFile(join(packageFolder, file), 'utf8'),
    })),
  )
}

/** The price of a byte of a resource, which takes the event loop. */
const bytePrice = 1 / 100

/** What agents are told about the service: what it is, and how to take its contents. */
type About = { readonly service: string; readonly contents: string }

/** The instructions for agents, about the service and the tools that there are. */
const instructionsFor = (about: About, tools: { readonly search: boolean; readonly operations: boolean }) =>
  [
    about.service,
    tools.search && 'Find fields with search_schema.',
    tools.operations && 'Check an operation with check_operation before you run it: a selection costs points.',
    about.contents,
  ]
    .filter(Boolean)
    .join(' ')

/** Loaded when the first agent comes, since it takes longer than the start of everything else. */
let library: Promise<typeof import('@modelcontextprotocol/server')> | undefined

/** `/mcp`: a server of the Model Context Protocol without sessions, over the same operations, tokens and limits as both APIs. */
export async function addMcp(
  scope: FastifyInstance,
  services: ApiServices,
  trusted: TrustedDocuments,
  about: About,
  settings: { readonly introspection: boolean; readonly onlyTrustedDocuments: boolean },
): Promise<void> {
  addViewer(scope, services.viewers, 'MCP')
  addBudget(scope, services.budgets)
  scope.addHook('onRequest', (request, _reply, done) => {
    if (request.method !== 'OPTIONS') requireUnrestricted(requireViewer(request), reading)
    done()
  })
  answerOtherMethods(scope, { url: mcpPath, methods: ['POST'] })

  const resources = await readResources(settings)
  const operations = new Operations(services, trusted)
  const stored = new TrustedTools(services, operations)
  const runsAny = !settings.onlyTrustedDocuments
  const anyOperation = runsAny ? operationTools(operations, services.effects) : () => []
  const search = settings.introspection && runsAny ? [searchTool(services.documents.schema)] : []
  const instructions = instructionsFor(about, { search: search.length > 0, operations: runsAny })

  async function serve(Server: typeof McpServer, request: FastifyRequest, lacking: Lacking): Promise<McpServer> {
    const viewer = requireViewer(request)
    const unchanging = { listChanged: false }
    const capabilities = { tools: unchanging, resources: unchanging }
    const server = new Server({ name: 'rookery', version }, { instructions, capabilities })
    const tools = [...(await stored.all()), ...search, ...anyOperation(viewer)]
    // A later version may have an own tool of a name that the operator has given.
    for (const tool of new Map(tools.map((tool) => [tool.name, tool])).values()) {
      const { name, description, annotations } = tool
      const inputSchema = unchecked(tool.inputSchema)
      server.registerTool(name, { description, annotations, inputSchema }, (input) =>
        callTool(tool, input, request, services, lacking),
      )
    }
    for (const { uri, name, description, mimeType, text } of resources)
      server.registerResource(name, uri, { description, mimeType }, async () => {
        await request.budget?.charge(Math.ceil(prices.statement + Buffer.byteLength(text) * bytePrice))
        return { contents: [{ uri, mimeType, text }] }
      })
    return server
  }

  await scope.register(async (json) => {
    acceptJson(json)
    json.post(mcpPath, async (request, reply) => {
      if (Array.isArray(request.body)) throw new Refusal('BAD_REQUEST', 'Send one message at a time, and no batch.')
      library ??= import('@modelcontextprotocol/server')
      const { createMcpHandler, McpServer } = await library
      const faults: Error[] = []
      const lacking: Lacking = []
      const handler = createMcpHandler(() => serve(McpServer, request, lacking), {
        maxSubscriptions: 0,
        keepAliveMs: 0,
        onerror: (error) => faults.push(error),
      })
      const { signal } = request.lifetime
      const headers = headersFor(request)
      const asked = new Request(`http://localhost${mcpPath}`, { method: 'POST', headers, signal })
      const response = await handler.fetch(asked, { parsedBody: request.body })
      const { status } = response
      if (status >= 500) throw faults[0] ?? new Error(`MCP answers ${status}`)
      if (status >= 400) request.logEntry.report({ code: 'BAD_REQUEST' })
      // Every answer ends by itself, and has a limit.
      const body = await response.text()
      if (lacking.length > 0) throw stepUp(requireViewer(request), lacking)
      const type = response.headers.get('content-type')
      return sendResponse(reply, {
        status,
        headers: { ...(type && { 'content-type': type }) },
        body: body || undefined,
      })
    })
  })
}

/**
 * The refusal of a call that needs more scopes, on which an agent asks its user for them. Its challenge also names the scopes that
 * the token has: clients ask for what it names, and nothing else.
 */
function stepUp({ scopes }: Viewer, [first, ...others]: Lacking): Refusal {
  if (!first) throw new TypeError('No scope is lacking')
  const lacking = [first, ...others].flatMap(({ details }) => details.missingScopes ?? [])
  return new Refusal(first.code, first.message, {
    ...first.details,
    missingScopes: [...new Set([...scopes, ...lacking])],
  })
}

/** What the protocol says in headers. All answers are made at once, whatever a client accepts. */
function headersFor({ headers }: FastifyRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
}

/** A schema that is only shown: tools check their arguments themselves, with the errors of the API. */
function unchecked(schema: JsonSchema) {
  const show = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'rookery',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: show, output: show },
    },
  } as const
}

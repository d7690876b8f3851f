import type { FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { z } from 'zod'
import type { Viewer } from '../auth/viewers.ts'
import { type FieldError, invalid, Refusal } from '../errors.ts'
import { requestError } from '../execution/mask.ts'
import { runOperation } from '../execution/pipeline.ts'
import { prepareExecution } from '../execution/prepare-execution.ts'
import type { CompiledResult } from '../execution/prepared-operation.ts'
import { RequestContext } from '../execution/request-context.ts'
import { findOperation, type Parameters, type TrustedDocuments } from '../graphql/find-operation.ts'
import { resultResponse } from '../graphql/respond.ts'
import type { ApiServices } from '../http/api-services.ts'
import { onlyOnPrimary } from '../http/position.ts'
import type { Effects, Scope } from '../scopes.ts'

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown }

/** The names of Rookery's own tools. */
export const toolNames = ['search_schema', 'check_operation', 'query', 'mutate'] as const

/** A tool that agents can call. */
export type Tool = {
  readonly name: string
  readonly description: string
  /** Whether it changes nothing, and if it does, whether it may also change or remove what is there. */
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean }
  /** What its arguments must be. */
  readonly inputSchema: JsonSchema
  /** Whether a token needs scopes for what it runs. */
  readonly needsScopes: boolean
  /** Runs it with its arguments as they were sent. Throws a refusal. */
  readonly run: (input: unknown, request: FastifyRequest) => Promise<string | CompiledResult>
}

/** One of Rookery's own tools. */
export type OwnTool = Tool & { readonly name: (typeof toolNames)[number] }

/** The result of a tool, as the protocol has it. */
type ToolResult = { content: { type: 'text'; text: string }[]; isError: boolean }

/** What a token lacks to call a tool: the refusals of one message. */
export type Lacking = Refusal[]

/** The refusals for lack of scopes, if the account of the token can have what all of them require. */
function grantableRefusals(errors: CompiledResult['errors'] = []): Lacking {
  const found = errors.map(({ originalError }) => originalError).filter((error) => error instanceof Refusal)
  const lacking = found.filter(({ code }) => code === 'INSUFFICIENT_SCOPE')
  return lacking.every(({ details }) => details.missingScopes?.length) ? lacking : []
}

/**
 * Calls a tool. Errors, with their codes, are its result; those of scopes that the token lacks and could have are also added to
 * `lacking`.
 */
export async function callTool(
  tool: Tool,
  input: unknown,
  request: FastifyRequest,
  services: ApiServices,
  lacking: Lacking,
): Promise<ToolResult> {
  const { logEntry, id } = request
  logEntry.report({ operation: tool.name, isOperationKnown: true })
  const run = async () => tool.run(input, request)
  const result = await run().catch((error: unknown) => ({ errors: [requestError(error, id, services.log)] }))
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }], isError: false }
  const { errors } = result
  if (tool.needsScopes) lacking.push(...grantableRefusals(errors))
  logEntry.report({ code: errors?.[0]?.extensions.code })
  const { body } = await resultResponse(result, { mediaType: 'application/json' }, services.pipeline)
  return { content: [{ type: 'text', text: String(body) }], isError: errors !== undefined }
}

/** The JSON Schema of arguments. */
export const schemaOf = (arguments_: z.ZodType): JsonSchema => z.toJSONSchema(arguments_, { io: 'input' })

/** Checks the arguments of a tool. Throws `VALIDATION_FAILED`. */
export function checked<Input>(input: unknown, arguments_: z.ZodType<Input>): Input {
  const { data, error } = arguments_.safeParse(input ?? {})
  if (data !== undefined) return data
  const [first = { field: 'arguments', message: 'are invalid' }, ...others] = (error?.issues ?? []).map(
    ({ path, message }): FieldError => ({ field: path.join('.') || 'arguments', message }),
  )
  throw invalid(first, ...others)
}

const { QUERY, MUTATION } = OperationTypeNode

const operationInput = z.strictObject({
  operation: z.string('must be the text of a GraphQL document').describe('A GraphQL document.'),
  variables: z
    .record(z.string(), z.unknown(), 'must be an object')
    .nullish()
    .describe('The values of its variables, as an object.'),
  operationName: z
    .string('must be the name of an operation')
    .nullish()
    .describe('Which operation of the document is meant, if it has several.'),
})

/** Whether scopes let a token change or remove what exists. */
export const isDestructive = (effects: Effects, scopes: Iterable<Scope>): boolean =>
  [...scopes].some((scope) => effects[scope].effect === 'changes')

/** Whether scopes only let a token read. It has to get others before it can write anything. */
const onlyReads = (effects: Effects, scopes: Iterable<Scope>): boolean =>
  [...scopes].every((scope) => effects[scope].effect === 'reads')

/** Runs the operations of tools. */
export class Operations {
  readonly #services: ApiServices
  readonly #trusted: TrustedDocuments

  constructor(services: ApiServices, trusted: TrustedDocuments) {
    this.#services = services
    this.#trusted = trusted
  }

  /** Runs a query or a mutation like any other of GraphQL. */
  async run(kind: OperationTypeNode, parameters: Parameters, request: FastifyRequest): Promise<CompiledResult> {
    const found = await this.#find(parameters, request)
    if ('errors' in found) return found
    if (found.kind !== kind)
      throw new Refusal('BAD_REQUEST', `This tool does not run operations of the kind ${found.kind}.`)
    return runOperation(this.#services.pipeline, found.context, found.variables)
  }

  /** What an operation costs and requires, or its errors. Nothing of it runs. */
  async check(parameters: Parameters, request: FastifyRequest): Promise<string | CompiledResult> {
    const found = await this.#find(parameters, request)
    if ('errors' in found) return found
    const { context, variables, kind } = found
    const { documents } = this.#services
    const prepared = await documents.runExclusive(
      () => prepareExecution(context, variables, documents),
      request.lifetime,
    )
    if ('errors' in prepared) return prepared
    const { cost: points, requirements } = prepared.analysis
    const requires = requirements.map(({ node, sets }) => ({ field: node.name.value, oneSetOfScopes: sets }))
    return JSON.stringify({ kind, points, pointsLeft: (await request.budget?.balance())?.remaining, requires })
  }

  async #find(parameters: Parameters, request: FastifyRequest) {
    const found = await findOperation(this.#services.documents, this.#trusted, request, parameters)
    if ('errors' in found) return found
    const { operation, variables } = found
    const { operation: kind } = operation.operation
    if (kind === OperationTypeNode.SUBSCRIPTION)
      throw new Refusal('BAD_REQUEST', 'Tools run no subscriptions: query changes instead.')
    // An agent expects to see what it has written.
    const context = new RequestContext(this.#services, request, operation, { after: onlyOnPrimary })
    return { context, variables, kind }
  }
}

/** The tools that take any operation. */
export function operationTools(operations: Operations, effects: Effects): (viewer: Viewer) => readonly OwnTool[] {
  const inputSchema = schemaOf(operationInput)
  const parametersIn = (input: unknown): Parameters => {
    const { operation: query, ...others } = checked(input, operationInput)
    return { query, ...others }
  }
  const check: OwnTool = {
    name: 'check_operation',
    needsScopes: false,
    description:
      'Checks a GraphQL operation without running it. Answers with the points that it costs and the scopes ' +
      'that it requires, or with the errors that it would get.',
    annotations: { readOnlyHint: true },
    inputSchema,
    run: (input, request) => operations.check(parametersIn(input), request),
  }
  const query: OwnTool = {
    name: 'query',
    needsScopes: true,
    description: 'Runs a GraphQL query, and answers with its JSON result.',
    annotations: { readOnlyHint: true },
    inputSchema,
    run: (input, request) => operations.run(QUERY, parametersIn(input), request),
  }
  const mutate = (destructiveHint: boolean): OwnTool => ({
    name: 'mutate',
    needsScopes: true,
    description:
      'Runs a GraphQL mutation, which others can see, and answers with its JSON result. After OUTCOME_UNKNOWN, read before you try again.',
    annotations: { readOnlyHint: false, destructiveHint },
    inputSchema,
    run: (input, request) => operations.run(MUTATION, parametersIn(input), request),
  })
  return ({ scopes }) => [check, query, mutate(isDestructive(effects, scopes) || onlyReads(effects, scopes))]
}

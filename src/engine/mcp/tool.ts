import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type FieldError, invalid, Refusal } from '../errors.ts'
import { requestError } from '../execution/mask.ts'
import type { CompiledResult } from '../execution/plugin.ts'
import { resultResponse } from '../graphql/respond.ts'
import type { ApiServices } from '../http/api-services.ts'

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

/** Calls a tool. Errors, with their codes, are its result; those of scopes that the token lacks are also added to `lacking`. */
export async function callTool(
  tool: Tool,
  input: unknown,
  request: FastifyRequest,
  services: ApiServices,
  lacking: Lacking,
): Promise<ToolResult> {
  const { logEntry, id } = request
  logEntry.operation = tool.name
  logEntry.isOperationKnown = true
  const run = async () => tool.run(input, request)
  const result = await run().catch((error: unknown) => ({ errors: [requestError(error, id, services.log)] }))
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }], isError: false }
  const { errors } = result
  if (tool.needsScopes)
    for (const { originalError } of errors ?? [])
      if (originalError instanceof Refusal && originalError.code === 'INSUFFICIENT_SCOPE') lacking.push(originalError)
  logEntry.code ??= errors?.[0]?.extensions.code
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
